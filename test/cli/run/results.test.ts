/** Results of evicted projects and of many rules, and work that a receiver starts; all others are in `cli/golden/run.txt`. */
import { beforeEach, describe, expect, test } from 'vitest';
import { RunResults, type Verdict } from '../../../src/cli/run/results.ts';
import { settle } from '../../../src/cli/trial/settle.ts';
import { maxProjects } from '../../../src/project/registry.ts';
import type { RunningSandbox } from '../../../src/server.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { startOne } from '../../harness/start-sandbox.ts';

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
`;

let sandbox: RunningSandbox;
let evidence: RunResults;

beforeEach(async () => {
  sandbox = await startOne({ scenarioYaml: common });
  evidence = new RunResults(sandbox);
});

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

async function conclude(): Promise<Verdict> {
  await settle(sandbox.projects);
  return evidence.conclude();
}

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
      expect.stringMatching(/^closest request: asyncImportJobs req_\w+ in project first: .*the request has 2 entries$/),
    ],
  ]);
});

test('each rule has its closest request, also if the journal explains none of those that came as far', async () => {
  const further = Array.from({ length: 120 }, (_, n) => ({
    ...{ name: `further ${n}`, when: { request: { from: 9 } } },
    then: { latency: '0s' },
  }));
  const last = { name: 'last', when: { where: { 'headers.x-shift': 'night' } }, then: { latency: '0s' } };
  await control('PUT', 'a/scenarios', { scenarios: [{ name: 'many', rules: [...further, last] }] });
  await send('a', 'J-1');
  const many = (await conclude()).scenarios.find(({ name }) => name === 'many');
  expect(many?.rules[119]?.why).toMatch(/in project a: expected request 9 or later .*; got request 1$/);
  expect(many?.rules[120]?.why).toMatch(/in project a: expected headers.x-shift night; it is missing$/);
});

describe('settling', () => {
  const listen = (project: string) => control('PUT', `${project}/callback-endpoint`, { url: receiver.url() });

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
