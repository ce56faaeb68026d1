/** The coverage report: what a client has met, in one project and in all, whatever else is forgotten meanwhile. */
import { describe, expect, test } from 'vitest';
import { writeProfile } from '../../harness/profile.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, type TestSandbox, useSandbox } from '../../harness/sandbox.ts';
import { disturbedProject } from '../callbacks/disturbance-steps.ts';
import { callbacksOf, failLater, frozenProject } from '../callbacks/steps.ts';
import { type Report, toMet } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

async function read(project?: string, query = '', from: TestSandbox = sandbox): Promise<Report> {
  const answer = await from.control('GET', `${project === undefined ? '' : `/projects/${project}`}/coverage${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Report;
}

const metIn = async (project: string): Promise<readonly string[]> => toMet(await read(project));

/** Not held against the document, which has not all that scenarios answer. */
function post(url: string, body: object, headers: Record<string, string> = {}, to: TestSandbox = sandbox) {
  return fetch(to.url() + url, {
    method: 'POST',
    headers: { apikey: 'sandbox-key', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

const importJobs = (project: string, jobs: unknown, headers?: Record<string, string>, to?: TestSandbox) =>
  post(`/async/projects/${project}/jobs`, { jobs }, headers, to);

const failureOf = ({ items }: Report, operation: string, kind: string) =>
  items.find((item) => item.operation === operation)?.failures.find((one) => one.kind === kind);

const conditionOf = ({ callbackItems }: Report, kind: string) =>
  callbackItems.find(({ type }) => type === 'jobs.import.failed')?.conditions.find((one) => one.kind === kind);

test('an unused project has an empty report, and reading it changes no other', async () => {
  const project = freshProject();
  const before = await read();
  const report = await read(project);
  expect(report).toMatchObject({ met: 0, percent: 0, operations: { met: 0, total: 29, percent: 0 } });
  expect(report.total).toBe(report.operations.total + report.failures.total + report.callbacks.total);
  expect(report.callbacks.total).toBe(report.callbackItems.length * 12);
  expect(await read()).toEqual(before);
});

test('each response counts by its kind, with the count and the first request', async () => {
  const project = freshProject();
  const taken = await importJobs(project, [{ id: 'J-1' }]);
  const refused = await importJobs(project, [{ id: 'J-2' }, { id: 'J-3', status: 'NO' }]);
  await importJobs(project, [{ status: 'NO' }]);
  await importJobs(project, 7);
  await importJobs(project, [], { 'content-type': 'text/plain' });
  await importJobs(project, [], { 'x-sandbox-scenario': 'maintenance' });
  await sandbox.api('PATCH', `/sync/projects/${project}/jobs`, { id: 'none', status: 'DISPATCH' });
  expect(taken.status).toBe(202);
  const report = await read(project);
  expect(toMet(report)).toEqual(
    [
      'asyncImportJobs',
      'asyncImportJobs refused',
      'asyncImportJobs status-400',
      'asyncImportJobs status-415',
      'asyncImportJobs status-503',
      'syncUpdateJob status-404',
    ].sort(),
  );
  expect(failureOf(report, 'asyncImportJobs', 'refused')).toMatchObject({
    met: true,
    count: 2,
    first: { project, request: refused.headers.get('x-request-id') },
  });
  expect(report.items.find(({ operation }) => operation === 'asyncImportJobs')).toMatchObject({
    calls: 6,
    succeeded: 3,
    met: true,
  });
  expect(report).toMatchObject({ operations: { met: 1, percent: 3.4 }, failures: { met: 5 }, met: 6 });
});

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

test('a request without a project counts only in the report of all; one without an operation, or of the control API, nowhere', async () => {
  const project = freshProject();
  const before = failureOf(await read(), 'asyncImportJobs', 'status-401')?.count ?? 0;
  const stranger = await importJobs(project, [], { apikey: 'wrong' });
  await sandbox.api('GET', '/nowhere');
  await sandbox.control('GET', `/projects/${project}/jobs`);
  expect(stranger.status).toBe(401);
  expect(await metIn(project)).toEqual([]);
  expect(failureOf(await read(), 'asyncImportJobs', 'status-401')).toMatchObject({ count: before + 1 });
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
  const brief = useSandbox({ profile: writeProfile({ limits: { journal: 2 } }) });

  test('after the journal drops a request', async () => {
    const project = freshProject();
    const first = await importJobs(project, [{ status: 'NO' }], {}, brief);
    const id = first.headers.get('x-request-id');
    for (let n = 0; n < 3; n += 1) await importJobs(project, [], {}, brief);
    expect((await brief.control('GET', `/projects/${project}/requests/${id}`)).status).toBe(404);
    const report = await read(project, '', brief);
    expect(failureOf(report, 'asyncImportJobs', 'refused')?.first).toEqual({ project, request: id });
    expect(report.items.find(({ operation }) => operation === 'asyncImportJobs')?.calls).toBe(4);
  });

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

describe('counts callbacks at the receiver', () => {
  const states = async (project: string) => {
    const report = await read(project);
    return Object.fromEntries(
      (report.callbackItems.find(({ type }) => type === 'jobs.import.failed')?.conditions ?? [])
        .filter(({ met }) => met)
        .map(({ kind, count, taken }) => [kind, `${taken} of ${count}`]),
    );
  };

  test.each<[string, readonly number[], object]>([
    ['at once', [204], { delivered: '1 of 1' }],
    ['after errors', [503, 500, 204], { retried: '1 of 1' }],
    ['never, since it is gone', [410], { failed: '0 of 1' }],
    ['never', [500, 500, 500, 500, 500], { failed: '0 of 1' }],
  ])('%s', async (_, answers, wanted) => {
    const project = await frozenProject(sandbox, receiver.url());
    receiver.answer(...answers);
    const request = await failLater(sandbox, project);
    await sandbox.advance(project);
    expect(await states(project)).toEqual(wanted);
    expect(await metIn(project)).toContain('asyncImportJobs failed-downstream');
    const [kind = ''] = Object.keys(wanted);
    expect(conditionOf(await read(project), kind)?.first).toEqual({ project, request });
  });

  test('redelivered after it failed', async () => {
    const project = await frozenProject(sandbox, receiver.url());
    receiver.answer(410, 204);
    await failLater(sandbox, project);
    await sandbox.advance(project);
    const [callback] = await callbacksOf(sandbox, project);
    await sandbox.control('POST', `/projects/${project}/callbacks/${callback?.id}/redeliver`);
    expect(await states(project)).toEqual({ failed: '0 of 1', retried: '1 of 1' });
  });

  test('a rejected forged callback does not count as delivered, even after a valid redelivery', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { signature: 'invalid' });
    receiver.handle(({ body }) => (body.includes('FAIL-2') ? 204 : 401));
    await failLater(sandbox, project, '1');
    await failLater(sandbox, project, '2');
    await sandbox.advance(project);
    expect(await states(project)).toEqual({ 'callback-signature-invalid': '1 of 2' });
    receiver.handle(() => 204);
    const [callback] = await callbacksOf(sandbox, project);
    await sandbox.control('POST', `/projects/${project}/callbacks/${callback?.id}/redeliver`);
    expect(await states(project)).toEqual({ 'callback-signature-invalid': '1 of 2' });
  });

  test.each<[string, object, readonly number[], object]>([
    ['a delayed one when it is delivered', { delay: '1m' }, [503, 503, 204], { 'callback-delay': '1 of 1' }],
    ['a dropped one though it never comes', { drop: true }, [], { 'callback-drop': '0 of 1' }],
    ['a doubled one when both copies came', { copies: 2 }, [204, 204], { 'callback-copies': '1 of 1' }],
    ['a malformed one', { body: 'malformed' }, [204], { 'callback-body-malformed': '1 of 1' }],
    ['a group of one not as reordered', { order: 'reverse', delay: '5s' }, [204], {}],
  ])('%s', async (_, disturbance, answers, wanted) => {
    const project = await disturbedProject(sandbox, receiver.url(), disturbance);
    receiver.answer(...answers);
    await failLater(sandbox, project);
    await sandbox.advance(project);
    expect(await states(project)).toEqual(wanted);
  });

  test('two that came in reverse order count as reordered', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { order: 'reverse' });
    for (const name of ['1', '2']) await failLater(sandbox, project, name);
    await sandbox.advance(project);
    expect(await states(project)).toEqual({ 'callback-order-reverse': '2 of 2' });
  });

  test('counts nothing without an endpoint or a response', async () => {
    const inbox = await frozenProject(sandbox);
    await failLater(sandbox, inbox);
    await sandbox.advance(inbox);
    expect(await states(inbox)).toEqual({});
    expect(await metIn(inbox)).toEqual(['asyncImportJobs', 'asyncImportJobs failed-downstream']);
  });
});

describe('of selected operations', () => {
  test('does not report others as missing', async () => {
    const report = await read('nobody', '?operation=asyncImport*,%20submitLocation');
    expect(report.items.map(({ operation }) => operation)).toEqual([
      'asyncImportJobs',
      'asyncImportRoutes',
      'asyncImportJobsInSubproject',
      'asyncImportRoutesInSubproject',
      'asyncImportOrders',
      'asyncImportOrdersInSubproject',
      'submitLocation',
    ]);
    expect(report.callbackItems.map(({ type }) => type)).toEqual([
      'jobs.import.failed',
      'routes.import.failed',
      'orders.import.failed',
    ]);
    const location = await read('nobody', '?operation=submitLocation');
    expect(location.callbacks).toEqual({ met: 0, total: 0, percent: 100 });
  });

  test('reports an unknown operation with a suggestion', async () => {
    const answer = await sandbox.control('GET', '/coverage?operation=asyncImportJobs,asyncImportJob');
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ path: 'query:operation' }]);
  });
});

describe('with a profile that moves an operation to the other mode', () => {
  const profile = { operations: { asyncImportJobs: { mode: 'sync' } }, errors: { invalid: 422 } };
  const other = useSandbox({ profile: writeProfile(profile), magicIds: 'false' });

  test("counts failures as that mode reports them, with the profile's statuses", async () => {
    const project = freshProject();
    const rules = [{ when: { item: 1 }, then: { fail: 'No' } }];
    await other.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'failing', rules }] });
    expect((await importJobs(project, [{ id: 'A' }], {}, other)).status).toBeLessThan(300);
    expect((await importJobs(project, 7, {}, other)).status).toBe(422);
    const report = await read(project, '', other);
    expect(toMet(report)).toEqual([
      'asyncImportJobs',
      'asyncImportJobs failed-downstream',
      'asyncImportJobs status-422',
    ]);
    expect(failureOf(report, 'asyncImportJobs', 'refused')?.provoke).toMatch(
      /^the header x-sandbox-scenario: |^a rule/,
    );
  });
});
