/** The coverage report of all projects, and of what clients do not get whole. flows/transcripts/coverage.txt has the others. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { type Report, toMet } from './steps.ts';

const sandbox = useSandbox();

async function read(project?: string): Promise<Report> {
  const answer = await sandbox.control('GET', `${project === undefined ? '' : `/projects/${project}`}/coverage`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Report;
}

const metIn = async (project: string): Promise<readonly string[]> => toMet(await read(project));

/** Not held against the document, which has not all that scenarios answer. */
function post(url: string, body: object, headers: Record<string, string> = {}) {
  return fetch(sandbox.url() + url, {
    method: 'POST',
    headers: { apikey: 'sandbox-key', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

const importJobs = (project: string, jobs: unknown) => post(`/async/projects/${project}/jobs`, { jobs });

const failureOf = ({ items }: Report, operation: string, kind: string) =>
  items.find((item) => item.operation === operation)?.failures.find((one) => one.kind === kind);

const conditionOf = ({ callbackItems }: Report, kind: string) =>
  callbackItems.find(({ type }) => type === 'jobs.import.failed')?.conditions.find((one) => one.kind === kind);

test('a missing failure names its trigger: an id, a shipped scenario, or a rule', async () => {
  const report = await read('nobody');
  const provoke = (kind: string) => failureOf(report, 'asyncImportJobs', kind)?.provoke;
  expect(provoke('refused')).toBe('an entry with the id REFUSE-1');
  expect(provoke('limit')).toBe('the header x-sandbox-scenario: rate-limited');
  expect(provoke('status-413')).toBe('a rule with then: { respond: { status: 413 } }');
  expect(conditionOf(report, 'callback-drop')?.provoke).toBe(
    'the header x-sandbox-scenario: lost-callbacks, and an entry that fails',
  );
});

test("a scenario's own 2xx and a broken response do not count as success", async () => {
  const project = freshProject();
  const rules = [
    { when: { request: { nth: 1 } }, then: { respond: { status: 200, body: 'Log in' } } },
    { when: { request: { nth: 2 } }, then: { connection: 'truncate', processed: true } },
  ];
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'portal', rules }] });
  await importJobs(project, []);
  await importJobs(project, []).then((answer) => answer.text().catch(() => undefined));
  const report = await read(project);
  expect(toMet(report)).toEqual(['asyncImportJobs connection-truncate-processed']);
  expect(report.items.find(({ operation }) => operation === 'asyncImportJobs')).toMatchObject({
    calls: 2,
    succeeded: 0,
  });
});

describe('keeps its counts', () => {
  test('of all projects after a reset of one, whose own counts restart', async () => {
    const project = freshProject();
    const marked = () => read().then((report) => failureOf(report, 'asyncImportOrders', 'status-503')?.count ?? 0);
    const before = await marked();
    const fail = () =>
      post(`/async/projects/${project}/orders`, { orders: [] }, { 'x-sandbox-scenario': 'maintenance' });
    await fail();
    expect(await metIn(project)).toEqual(['asyncImportOrders status-503']);
    await sandbox.control('POST', `/projects/${project}/reset`);
    expect(await metIn(project)).toEqual([]);
    await fail();
    await sandbox.control('POST', '/reset');
    expect(await metIn(project)).toEqual([]);
    expect(await marked()).toBe(before + 2);
  });

  test('of a delayed request whose project is reset', async () => {
    const project = freshProject();
    const rules = [{ then: { latency: '5m' } }];
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'slow', rules }] });
    const marked = () => read().then((report) => failureOf(report, 'asyncImportJobs', 'latency')?.count ?? 0);
    const before = await marked();
    const answered = importJobs(project, [{ id: 'FAIL-1' }]);
    // The callback is there once the request has taken effect.
    await sandbox.control('GET', `/projects/${project}/callbacks?await=10s`);
    await sandbox.control('POST', `/projects/${project}/reset`);
    expect((await answered).status).toBe(202);
    expect(await marked()).toBe(before + 1);
    expect(await metIn(project)).toEqual([]);
  });
});

test('adds the counts of projects of parallel tests', async () => {
  const projects = Array.from({ length: 8 }, freshProject);
  const before = (await read()).items.find(({ operation }) => operation === 'syncImportOrders')?.succeeded ?? 0;
  await Promise.all(
    projects.map((project, n) =>
      sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: n === 3 ? 'REFUSE-1' : 'O-1' }] }),
    ),
  );
  const report = await read();
  const all = report.items.find(({ operation }) => operation === 'syncImportOrders');
  expect(all?.succeeded).toBe(before + 8);
  expect(failureOf(report, 'syncImportOrders', 'refused')?.first?.project).toBe(projects[3]);
  expect(await metIn(projects[2] as string)).not.toContain('syncImportOrders refused');
});
