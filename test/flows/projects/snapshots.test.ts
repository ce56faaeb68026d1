/** A restored snapshot cancels what is pending, and leaves all but the records. */
import { expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';
import { emptySnapshot, failLater, frozenProject } from '../callbacks/steps.ts';

const sandbox = useSandbox();

test('a restore cancels pending work; journal, clock, scenarios and endpoint stay', async () => {
  const project = await frozenProject(sandbox, 'http://127.0.0.1:9/');
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: ['partial-batch'] });
  await failLater(sandbox, project);
  const before = (await sandbox.control('GET', `/projects/${project}`)).body;
  expect(
    (await sandbox.control('PUT', `/projects/${project}/snapshot`, { ...emptySnapshot, jobs: [{ id: 'X' }] })).body,
  ).toEqual({
    restored: { jobs: 1, orders: 0, routes: 0, users: 0, locations: 0 },
    cancelled: { instructions: 1, callbacks: 0 },
  });
  const after = (await sandbox.control('GET', `/projects/${project}`)).body;
  expect(after).toEqual({
    ...before,
    counts: { ...before.counts, jobs: 1, pending: 0 },
    usage: { ...before.usage, records: 1, pending: 0, bytes: expect.any(Number) },
    clock: { ...before.clock, pending: 0 },
  });
  expect(before.scenarios).toEqual(['partial-batch']);
});
