/** What becomes of a callback when the store of its cause is slow, and when it is dropped while it is sent. */
import { expect, test } from 'vitest';
import { maxCallbacks } from '../../src/callbacks/callback.ts';
import type { Delivery } from '../../src/callbacks/send.ts';
import { defaultSecret } from '../../src/callbacks/signature.ts';
import { Project } from '../../src/project/project.ts';
import { createTestWall } from '../harness/wall.ts';
import { toSetting } from './persistence/stored-project.ts';

const nothing = () => undefined;
const events = { callback: nothing, serverCounts: () => new Map(), commandApplied: nothing, reportError: nothing };
const endpoint = { url: 'http://receiver.test/', secret: defaultSecret, disabled: false };
const trigger = { type: 'jobs.import.failed', operation: 'asyncImportJobs', failed: [] } as const;

test('a callback that is dropped while it is sent again takes no memory afterwards', async () => {
  const sender = { send: async () => ({ status: 200 }) };
  const project = new Project('p', toSetting(createTestWall(0), { sender, endpoint }), events);
  const first = project.trigger(trigger, 0);
  first.state = 'delivered';
  const sending = project.deliveries.redeliver(first);
  for (let n = 0; n < maxCallbacks + 100; n += 1) project.trigger(trigger, 0);
  expect(project.state.callbacks.has(first.id)).toBe(false);
  const { bytes } = project.usage;
  expect(await sending).toMatchObject({ status: 200 });
  expect(project.usage.bytes).toBe(bytes);
});

test('a callback is signed when its cause is stored, so that receivers do not reject it as too old', async () => {
  const wall = createTestWall(0);
  const sent: Delivery[] = [];
  const project = new Project(
    'p',
    toSetting(wall, {
      sender: {
        send: (delivery: Delivery) => {
          sent.push(delivery);
          return Promise.resolve({ status: 204 });
        },
      },
      endpoint,
    }),
    events,
    undefined,
    {
      adapter: { read: () => Promise.resolve(null), write: () => Promise.resolve() },
      trackWrites: nothing,
      trackCallback: nothing,
      changed: nothing,
      persisted: nothing,
      beforeSend: async () => wall.pass(600_000),
    },
  );
  project.trigger(trigger, project.now());
  await project.schedule.advance(() => ({ to: project.now(), stopIdle: false }));
  expect(sent.map(({ headers }) => headers['webhook-timestamp'])).toEqual(['600']);
});
