/** With more projects than the maximum, the oldest idle one is evicted. */
import { expect, test } from 'vitest';
import { maxProjects } from '../../../src/project/registry.ts';
import { readEvents } from '../../harness/event-reader.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { type Report, toMet } from '../coverage/steps.ts';
import { sendPipelined } from '../pipeline.ts';

const sandbox = useSandbox();

const metOf = async (path: string) => toMet((await sandbox.control('GET', `${path}/coverage`)).body as Report);

test('an evicted project sends a reset event and has no coverage, but that of all projects keeps its counts', async () => {
  const first = freshProject();
  await sandbox.freeze(first);
  expect((await sandbox.api('POST', `/projects/${first}/users`, {})).status).toBe(400);
  const events = await readEvents(`${sandbox.url()}/_sandbox/events?project=${first}`);
  const toRequest = (_: unknown, n: number) => ({
    method: 'POST',
    path: `/sync/projects/crowd-${n}/orders`,
    body: { orders: [] },
  });
  const statuses = await sendPipelined(sandbox.url(), Array.from({ length: maxProjects }, toRequest));
  expect(statuses).toEqual(Array(maxProjects).fill(200));
  expect(await events.take(1)).toMatchObject([{ kind: 'change', data: { what: 'reset', project: first } }]);
  events.leave();
  const { items } = (await sandbox.control('GET', '/projects?limit=1000')).body;
  expect(items).toHaveLength(maxProjects);
  expect(items.map(({ id }: { id: string }) => id)).not.toContain(first);
  expect(await metOf(`/projects/${first}`)).toEqual([]);
  expect(await metOf('')).toContain('registerUser status-400');
});
