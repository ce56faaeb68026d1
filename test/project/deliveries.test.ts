/** What a callback has when the store of its cause is slow. */
import { expect, test } from 'vitest';
import type { Delivery } from '../../src/callbacks/send.ts';
import { defaultSecret } from '../../src/callbacks/signature.ts';
import { Project } from '../../src/project/project.ts';
import { createTestWall } from '../harness/wall.ts';
import { toSetting } from './persistence/stored-project.ts';

test('a callback is signed when its cause is stored, so that receivers do not reject it as too old', async () => {
  const wall = createTestWall(0);
  const sent: Delivery[] = [];
  const nothing = () => undefined;
  const project = new Project(
    'p',
    toSetting(wall, {
      sender: {
        send: (delivery: Delivery) => {
          sent.push(delivery);
          return Promise.resolve({ status: 204 });
        },
      },
      endpoint: { url: 'http://receiver.test/', secret: defaultSecret, disabled: false },
    }),
    { callback: nothing, serverCounts: () => new Map(), commandApplied: nothing, reportError: nothing },
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
  project.trigger({ type: 'jobs.import.failed', operation: 'asyncImportJobs', failed: [] }, project.now());
  await project.schedule.advance(() => ({ to: project.now(), stopIdle: false }));
  expect(sent.map(({ headers }) => headers['webhook-timestamp'])).toEqual(['600']);
});
