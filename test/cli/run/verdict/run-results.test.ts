/** The results of a run, over all projects including deleted ones, and the completion of pending work before. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRunResults, type RunResults } from '../../../../src/cli/run/verdict/run-results.ts';
import { settle } from '../../../../src/cli/run/verdict/settle.ts';
import type { ScenarioVerdict, Verdict } from '../../../../src/cli/run/verdict/verdict.ts';
import { parseOptions } from '../../../../src/config/options.ts';
import { maxProjects } from '../../../../src/project/registry.ts';
import { type RunningSandbox, startSandbox } from '../../../../src/server.ts';
import { useReceiver } from '../../../harness/receiver.ts';

const receiver = useReceiver();
const common = `
name: common
rules:
  - name: fail
    when: { operation: asyncImportJobs, item: { id: "X-*" } }
    then: { fail: no, after: 2s }
  - name: third
    when: { operation: asyncImportJobs, item: 3 }
    then: { refuse: no }
  - name: slow
    when: { operation: syncImportOrders }
    then: { latency: 10m }
expect:
  - requests: { operation: asyncImportJobs, count: 2 }
  - callbacks: { state: inbox, count: 2 }
`;

let sandbox: RunningSandbox;
let evidence: RunResults;

beforeEach(async () => {
  const parsed = parseOptions({ port: '0', scenarioYaml: common }, {});
  if (!parsed.ok) throw new Error(parsed.mistakes.join('\n'));
  const reportError = (_id: string, error: unknown) => {
    throw error;
  };
  sandbox = await startSandbox(parsed.options, { reportError, warn: () => undefined });
  evidence = createRunResults(sandbox);
});
afterEach(() => sandbox.close());

async function ask(method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  const answer = await fetch(sandbox.url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  await answer.text();
  return answer;
}
const send = (project: string, ...ids: readonly string[]) =>
  ask('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) });
const control = (method: string, path: string, body?: unknown) => ask(method, `/_sandbox/projects/${path}`, body);
const use = (project: string, ...scenarios: readonly object[]) => control('PUT', `${project}/scenarios`, { scenarios });

async function conclude(): Promise<Verdict> {
  await settle(sandbox.projects);
  return evidence.conclude();
}

/** Returns the outcome of each rule and expectation. */
function outcomes({ rules, expectations }: ScenarioVerdict): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...rules.map(({ name, acted, outcome }) => [name, `${outcome}: ${acted}`]),
    ...expectations.map(({ expected, outcome }) => [expected, outcome]),
  ]);
}

const find = ({ scenarios }: Verdict, name: string) => scenarios.filter((one) => one.name === name);

describe('scenarios for all projects', () => {
  test('the results of a project before its reset are counted', async () => {
    await send('a', 'X-1', 'J-2', 'J-3');
    await control('POST', 'a/reset');
    await send('a', 'X-1');
    const verdict = await conclude();
    const [scenario] = find(verdict, 'common');
    expect(scenario?.rules.map(({ acted }) => acted)).toEqual([2, 1, 0]);
    // The first callback was never created: the reset cancelled its command.
    expect(scenario?.expectations.map(({ outcome }) => outcome)).toEqual(['passed', 'failed']);
    expect(verdict.totals).toMatchObject({ requests: 2, callbacks: 1 });
    expect(evidence.progress().requests).toBe(2);
  });

  test('a rule that no project alone fires has a hint, and one that counts over all projects fires', async () => {
    const when = { request: { nth: 4 } };
    const rules = [
      { name: 'own', when, then: { latency: '1ms' } },
      { name: 'all', scope: 'server', when, then: { latency: '1ms' } },
    ];
    await ask('PUT', '/_sandbox/server-scenarios', { scenarios: [{ name: 'fourth', rules }] });
    for (const project of ['a', 'b', 'a', 'c']) await send(project, 'J');
    const [scenario] = find(await conclude(), 'fourth');
    expect(scenario?.rules.map(({ name, acted }) => [name, acted])).toEqual([
      ['own', 0],
      ['all', 1],
    ]);
    const hint = 'counts are per project: 3 counts reached 1 to 2 requests, but the rule needs 4;';
    expect(scenario?.rules[0]?.why).toMatch(hint);
    expect(scenario?.rules[0]?.why).toContain('; closest request: ');
  });

  test('the results of an evicted project are counted', async () => {
    await send('first', 'X-1', 'J-2');
    // Only a project with nothing pending is evicted.
    await control('PUT', 'first/clock', { mode: 'frozen' });
    await control('POST', 'first/clock/advance', { until: 'idle' });
    for (let n = 0; n < maxProjects; n += 1) sandbox.projects.open(`p-${n}`);
    expect(sandbox.projects.find('first')).toBeUndefined();
    const [scenario] = (await conclude()).scenarios;
    expect(scenario?.rules.map(({ name, acted, why }) => [name, acted, why])).toEqual([
      ['fail', 1, undefined],
      [
        'third',
        0,
        expect.stringMatching(
          /^closest request: asyncImportJobs req_\w+ in project first: .*the request has 2 entries$/,
        ),
      ],
      ['slow', 0, expect.stringContaining('expected operation syncImportOrders')],
    ]);
  });

  test('a request with a delayed response is counted', async () => {
    const waiting = ask('POST', '/sync/projects/a/orders', { orders: [] });
    await expect.poll(() => sandbox.projects.find('a')?.delayedRequests.size).toBe(1);
    const verdict = await conclude();
    expect(find(verdict, 'common')[0]?.rules[2]).toMatchObject({ name: 'slow', acted: 1 });
    expect(verdict.totals.requests).toBe(1);
    sandbox.projects.resetAll();
    await waiting;
  });

  test('scenarios that are activated during the run are judged too, without changing the results of the first ones', async () => {
    await send('a', 'X-1');
    await send('b', 'X-1');
    const rules = [
      { name: 'no', when: { item: { id: 'N' } }, then: { refuse: 'no' } },
      { name: 'never', when: { item: { id: 'NEVER' } }, then: { refuse: 'no' } },
    ];
    const switched = { name: 'switched', rules, expect: [{ rule: 'no', count: 3 }] };
    await ask('PUT', '/_sandbox/server-scenarios', { scenarios: [switched] });
    await send('a', 'N');
    await send('b', 'N');
    await ask('PUT', '/_sandbox/server-scenarios', { scenarios: [switched] });
    await send('c', 'N');
    const verdict = await conclude();
    expect(outcomes(find(verdict, 'common')[0] as ScenarioVerdict)).toMatchObject({
      fail: 'passed: 2',
      third: 'failed: 0',
    });
    expect(outcomes(find(verdict, 'switched')[0] as ScenarioVerdict)).toEqual({
      no: 'passed: 3',
      never: 'skipped: 0',
      'rule "no" fired: expected 3': 'passed',
    });
    expect(verdict.totals.requests).toBe(5);
  });
});

describe('scenarios for single projects', () => {
  const refuse = (name: string, more: object = {}) => ({
    name,
    rules: [{ name: 'no', then: { refuse: 'no' } }],
    ...more,
  });

  test('each activation is judged alone, in all projects and before each reset', async () => {
    const scenario = refuse('own', { expect: [{ rule: 'no', count: 1 }] });
    for (const project of ['a', 'a', 'b']) {
      await use(project, scenario);
      await send(project, 'J-1');
      await control('POST', `${project}/reset`);
    }
    const [own] = find(await conclude(), 'own');
    expect(own).toMatchObject({ projects: ['a', 'b'], rules: [{ acted: 3, outcome: 'passed' }] });
    expect(own?.expectations).toEqual([
      { expected: expect.any(String), outcome: 'passed', why: expect.stringMatching(/: met all 3 times$/) },
    ]);
  });

  test('a replaced scenario is judged by the requests until then', async () => {
    await use('a', refuse('old', { expect: [{ requests: { count: 1 } }] }));
    await send('a', 'J-1');
    await use('a', refuse('new', { expect: [{ requests: { count: 2 } }] }));
    await send('a', 'J-1');
    const verdict = await conclude();
    expect(find(verdict, 'old')[0]?.expectations[0]?.outcome).toBe('passed');
    expect(find(verdict, 'new')[0]?.expectations[0]).toMatchObject({
      outcome: 'failed',
      why: 'in project a: requests: expected 2, got 1',
    });
  });

  test('its rules need not fire, and two texts of the same name are judged separately', async () => {
    await use('a', { name: 'own', rules: [{ name: 'x', when: { item: 9 }, then: { refuse: 'no' } }] });
    await send('a', 'J-1');
    await use('b', refuse('own'));
    await send('b', 'J-1');
    const found = find(await conclude(), 'own');
    expect(found.map(({ projects }) => projects)).toEqual([['a'], ['b']]);
    expect(found[0]?.rules).toEqual([
      expect.objectContaining({
        outcome: 'skipped',
        why: expect.stringContaining('expected item 9; the request has 1 entry'),
      }),
    ]);
  });
});

describe('totals', () => {
  test('a callback that failed before the command ended, and one after', async () => {
    await control('PUT', 'p/callback-endpoint', { url: receiver.url() });
    await control('PUT', 'p/clock', { mode: 'frozen' });
    receiver.handle(() => 500);
    await send('p', 'X-1');
    await control('POST', 'p/clock/advance', { until: 'idle' });
    evidence.commandEnded();
    await control('PUT', 'q/callback-endpoint', { url: 'http://127.0.0.1:1/' });
    await send('q', 'X-1');
    const { totals } = await conclude();
    expect([...(totals.failures.get('jobs.import.failed') ?? [])]).toEqual([
      [`${receiver.url()} responded with 500`, 1],
      ['connection refused by http://127.0.0.1:1/; the command had ended', 1],
    ]);
    expect(totals.hasLateFailure).toBe(true);
  });
});

describe('settling', () => {
  const listen = (project: string) => control('PUT', `${project}/callback-endpoint`, { url: receiver.url() });

  test('retries over ten minutes take no time', async () => {
    receiver.answer(500, 500, 500, 500);
    await listen('a');
    await send('a', 'X-1');
    const { totals } = await conclude();
    expect(receiver.received).toHaveLength(5);
    expect(totals.states).toEqual(new Map([['jobs.import.failed', new Map([['delivered', 1]])]]));
  });

  test('work that a receiver starts in other projects is completed too', async () => {
    receiver.handle(async ({ body }) => {
      const { projectId } = JSON.parse(body).data;
      if (projectId === 'c') return 204;
      const next = projectId === 'a' ? 'b' : 'c';
      await listen(next);
      await send(next, 'X-1');
      return 204;
    });
    await listen('a');
    await send('a', 'X-1');
    const { totals } = await conclude();
    expect(receiver.received).toHaveLength(3);
    expect(totals.callbacks).toBe(3);
  });

  test('waits for an advance that is already running', async () => {
    await control('PUT', 'a/clock', { mode: 'frozen' });
    await listen('a');
    await send('a', 'X-1');
    let answer: () => void = () => undefined;
    receiver.handle(() => new Promise((go) => (answer = () => go(204))));
    const advance = control('POST', 'a/clock/advance', { by: '2s' });
    await receiver.waitFor(1);
    const concluded = conclude();
    answer();
    expect((await concluded).totals.states).toEqual(new Map([['jobs.import.failed', new Map([['delivered', 1]])]]));
    expect((await advance).status).toBe(200);
  });
});
