/** With more projects than the maximum, the oldest idle one is evicted: its subscribers learn of it, and totals keep its counts. */
import { beforeAll, expect, test } from 'vitest';
import { maxProjects } from '../../../src/project/registry.ts';
import { type EventReader, readEvents } from '../../harness/event-reader.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { type Report, toMet } from '../coverage/steps.ts';
import { sendPipelined } from '../pipeline.ts';

const sandbox = useSandbox();
const first = freshProject();

const metOf = async (path: string) => toMet((await sandbox.control('GET', `${path}/coverage`)).body as Report);

let events: EventReader;
beforeAll(async () => {
  await sandbox.freeze(first);
  expect((await sandbox.api('POST', `/projects/${first}/users`, {})).status).toBe(400);
  events = await readEvents(`${sandbox.url()}/_sandbox/events?project=${first}`);
  const toRequest = (_: unknown, n: number) => ({
    method: 'POST',
    path: `/sync/projects/crowd-${n}/orders`,
    body: { orders: [] },
  });
  const statuses = await sendPipelined(sandbox.url(), Array.from({ length: maxProjects }, toRequest));
  expect(statuses).toEqual(Array(maxProjects).fill(200));
});

test('its subscribers get a reset event', async () => {
  expect(await events.take(1)).toMatchObject([{ kind: 'change', data: { what: 'reset', project: first } }]);
  events.leave();
});

test('it is not listed, and has no coverage of its own', async () => {
  const { items } = (await sandbox.control('GET', '/projects?limit=1000')).body;
  expect(items).toHaveLength(maxProjects);
  expect(items.map(({ id }: { id: string }) => id)).not.toContain(first);
  expect(await metOf(`/projects/${first}`)).toEqual([]);
});

test('the coverage of all projects keeps its counts', async () => {
  expect(await metOf('')).toContain('registerUser status-400');
});
