/** A snapshot takes effect when its records are restored, after what happened while they were created. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWallClock } from '../../../src/lib/time.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

/** A clock of which each look takes a slice, so that long work is split on every machine. */
let looks = 0;
const elapsed = (): number => {
  looks += 1;
  return looks * 20;
};
const wall = { ...createWallClock(), elapsed };
const sandbox = useSandbox({}, undefined, wall);
const tenants = useSandbox({ adminToken: 'secret' }, undefined, wall);

/** A snapshot of many jobs. */
const toSnapshot = (count: number) => {
  const jobs = Array.from({ length: count }, (_, n) => ({ id: `J-${n}` }));
  return { version: 1, jobs, orders: [], routes: [], users: [], locations: [] };
};

test('it has the time of the clock that was advanced meanwhile', async () => {
  const project = freshProject();
  await sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'frozen', now: '2030-01-01T00:00:00Z' });
  looks = 0;
  const restored = sandbox.control('PUT', `/projects/${project}/snapshot`, toSnapshot(30_000));
  // Each slice ends with a look.
  while (looks < 10) await nextTurn();
  await sandbox.advance(project, '1h');
  expect((await restored).body.restored.jobs).toBe(30_000);
  const { changes } = (await sandbox.control('GET', `/projects/${project}/recording`)).body;
  const at = '2030-01-01T01:00:00.000Z';
  expect(changes.map(({ kind }: { kind: string }) => kind)).toEqual(['clock', 'advance', 'snapshot']);
  expect(changes.at(-1)).toMatchObject({ at });
  const { body: job } = await sandbox.control('GET', `/projects/${project}/jobs/J-0`);
  expect(job).toMatchObject({ createdAt: at, updatedAt: at });
});

test('with others at the same time, it creates no more projects than the key may have', async () => {
  const prefix = freshProject();
  const given = { projects: [`${prefix}-*`], limits: { projects: 1 } };
  const { key } = (await tenants.control('POST', '/keys', given, { authorization: 'Bearer secret' })).body;
  const put = (n: number) =>
    tenants.control('PUT', `/projects/${prefix}-${n}/snapshot`, toSnapshot(2000), { apikey: key });
  const statuses = (await Promise.all([1, 2, 3, 4].map(put))).map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 507, 507, 507]);
});
