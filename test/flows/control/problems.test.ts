/** Problems of requests in groups: by operation, cause and scenario, with advice and exactly their requests. */
import { expect, test } from 'vitest';
import type { components } from '../../../src/openapi/control.gen.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { frozenProject } from '../callbacks/steps.ts';

type Group = components['schemas']['ProblemGroup'];

const sandbox = useSandbox({ clock: 'frozen' });

async function groupsOf(project: string, query = ''): Promise<readonly Group[]> {
  const path = `/projects/${project}/requests?view=problems&groups=true${query}`;
  const { status, body } = await sandbox.control('GET', path);
  expect(status).toBe(200);
  return body.items;
}

/** Returns the facts of each group by which people tell them apart. */
const summarize = (groups: readonly Group[]) =>
  groups.map(({ severity, kind, operation, place, cause, scenario, count, requests }) => {
    const where = [operation ?? 'no operation', place].join(' ').trim();
    return `${severity} ${kind}${scenario ? ` by ${scenario}` : ''}: ${where}: ${cause} (${count} in ${requests})`;
  });

const importJobs = (project: string, ...jobs: readonly object[]) =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });

test('a cause is one group, whatever values were received, and the group names exactly its requests', async () => {
  const project = await frozenProject(sandbox);
  const first = await importJobs(project, { id: 'J-1', status: 'DELIVERD' }, { id: 'J-2', status: 'DONE' });
  const second = await importJobs(project, { id: 'J-3', status: 'ARIVING' }, { id: 'J-4', colour: 'red' });
  const third = await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: 1 });
  const groups = await groupsOf(project);
  expect(summarize(groups).toSorted()).toEqual([
    expect.stringMatching(/^failed wrongValue: asyncImportJobs status: expected one of PENDING, .*[^"] \(3 in 2\)$/),
    'rejected wrongType: asyncImportJobs /jobs: expected an array (1 in 1)',
    'warned unknownField: asyncImportJobs /jobs/*/colour: unknown field "colour" (1 in 1)',
  ]);
  const [wrongType, wrongValue] = ['wrongType', 'wrongValue'].map((one) => groups.find(({ kind }) => kind === one));
  expect(wrongValue).toMatchObject({
    title: 'wrong value',
    advice: 'Send one of the expected values, in the same spelling.',
    next: 'reference',
    reference: 'asyncImportJobs',
    latest: { request: second.headers['x-request-id'], project, record: 'J-3' },
  });
  expect(wrongValue?.latest.message).toContain('got "ARIVING", did you mean ARRIVING?');
  const requestsOf = async (group: Group | undefined) => {
    const { body } = await sandbox.control('GET', `/projects/${project}/requests?view=rows&problem=${group?.id}`);
    return body.items.map(({ id }: { id: string }) => id);
  };
  expect(await requestsOf(wrongType)).toEqual([third.headers['x-request-id']]);
  expect(await requestsOf(wrongValue)).toEqual([first, second].map(({ headers }) => headers['x-request-id']));
  expect(await requestsOf(undefined)).toEqual([]);
  const { body } = await sandbox.control('GET', `/projects/${project}/requests?view=rows&problem=${wrongType?.id}`);
  expect(body.items[0].problem).toBe('wrong type: /jobs expected an array');
  expect(summarize(await groupsOf(project, '&outcome=warned'))).toHaveLength(2);
});

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
  const found = summarize(await groupsOf(project)).toSorted();
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

test('requests that reach no project are grouped too, with the operation that they probably meant', async () => {
  const project = freshProject();
  await importJobs(project);
  for (const jobs of ['job', 'jobz']) await sandbox.api('POST', `/async/projects/${project}/${jobs}`, { jobs: [] });
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [] }, { apikey: 'wrong' });
  const groups = await groupsOf(project);
  expect(summarize(groups).toSorted()).toEqual([
    'rejected unknownKey: asyncImportJobs header:apikey: the API key is missing or unknown (1 in 1)',
    'rejected unknownPath: no operation: no operation has this path (2 in 2)',
    'warned emptyList: asyncImportJobs /jobs: the list is empty, so nothing changes (1 in 1)',
  ]);
  expect(groups.find(({ kind }) => kind === 'unknownPath')).toMatchObject({ reference: 'asyncImportJobs' });
  const { body } = await sandbox.control('GET', `/requests?view=problems&groups=true&project=${project}`);
  expect(body.items).toEqual(groups);
});

test('a callback that was not delivered is a problem of its request', async () => {
  const project = await frozenProject(sandbox);
  await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: 'http://127.0.0.1:9/' });
  await importJobs(project, { id: 'FAIL-1' });
  await sandbox.advance(project);
  const [callback] = await sandbox.items(project, 'callbacks');
  const undelivered = (await groupsOf(project)).find(({ kind }) => kind === 'undelivered');
  expect(undelivered).toMatchObject({ severity: 'reported', next: 'callback', latest: { callback: callback?.['id'] } });
});

test('a callback that was made without a request is a problem, unless a filter chooses requests', async () => {
  const project = await frozenProject(sandbox);
  await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: 'http://127.0.0.1:9/' });
  const made = await sandbox.control('POST', `/projects/${project}/callbacks`, { type: 'jobs.import.failed' });
  await sandbox.advance(project);
  const [group, ...others] = await groupsOf(project);
  expect(others).toEqual([]);
  expect(group).toMatchObject({
    kind: 'undelivered',
    count: 1,
    requests: 0,
    latest: { callback: made.body.id, project },
  });
  expect(group?.latest).not.toHaveProperty('request');
  expect(await groupsOf(project, '&method=POST')).toEqual([]);
});
