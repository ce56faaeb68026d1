/** Problems that the records, the receiver and scenarios cause, in groups. */
import { expect, test } from 'vitest';
import type { components } from '../../../src/openapi/control.gen.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { frozenProject } from '../callbacks/steps.ts';

type Group = components['schemas']['ProblemGroup'];

const sandbox = useSandbox({ clock: 'frozen' });

/** Returns the facts of each group by which people tell them apart. */
const summarize = (groups: readonly Group[]) =>
  groups.map(({ severity, kind, operation, place, cause, scenario, count, requests }) => {
    const where = [operation ?? 'no operation', place].join(' ').trim();
    return `${severity} ${kind}${scenario ? ` by ${scenario}` : ''}: ${where}: ${cause} (${count} in ${requests})`;
  });

const importJobs = (project: string, ...jobs: readonly object[]) =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });

test('what the records, the receiver and scenarios cause has its own kind, and the scenario is named', async () => {
  const project = await frozenProject(sandbox);
  const rules = [
    { when: { operation: 'syncImportOrders' }, then: { respond: { status: 503 } }, times: 1 },
    { when: { operation: 'syncUpdateOrder' }, then: { connection: 'reset' } },
    { when: { operation: 'asyncImportJobs', item: { id: 'BAD-*' } }, then: { refuse: 'not today' } },
  ];
  const put = await sandbox.control('PUT', `/projects/${project}/scenarios`, {
    scenarios: [{ name: 'bad-day', rules }],
  });
  expect(put.status).toBe(200);
  await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'O-1' }] });
  await sandbox.api('PATCH', `/sync/projects/${project}/orders/O-1`, { status: 'DISPATCH' }).catch(() => undefined);
  await importJobs(project, { id: 'BAD-1' }, { id: 'J-1' }, { id: 'FAIL-2' }, { id: 'FAIL-3' });
  await sandbox.api('PATCH', `/sync/projects/${project}/jobs`, { id: 'J-1', status: 'DELIVERED' });
  await sandbox.advance(project);
  await importJobs(project, { id: 'J-1' });
  await sandbox.advance(project);
  await sandbox.api('PATCH', `/sync/projects/${project}/jobs`, { id: 'J-9', status: 'DELIVERED' });
  await sandbox.api('POST', `/sync/projects/${project}/jobs`, '{');
  const { body } = await sandbox.control('GET', `/projects/${project}/requests?view=problems&groups=true`);
  const found = summarize(body.items).toSorted();
  expect(found).toEqual([
    'failed scenarioEntry by bad-day: asyncImportJobs: not today (1 in 1)',
    'rejected notJson: syncCreateJob: the body is not JSON (1 in 1)',
    'rejected pendingRecord: syncUpdateJob: the job is unknown; an import of it was accepted and is still pending (1 in 1)',
    'rejected scenarioConnection by bad-day: syncUpdateOrder: the connection was reset without a response (1 in 1)',
    'rejected scenarioResponse by bad-day: syncImportOrders: responded with 503 (1 in 1)',
    'rejected unknownRecord: syncUpdateJob: the job is unknown (1 in 1)',
    'reported duplicate: asyncImportJobs: the job exists already (1 in 1)',
    expect.stringMatching(/^reported scenarioEntry by magic-ids: asyncImportJobs: .* \(2 in 1\)$/),
  ]);
});
