/** Rules with `scope: server`: where they are allowed, when their counts restart, and what a recording says. */
import { beforeEach, expect, test } from 'vitest';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const second = {
  name: 'second',
  rules: [{ name: 'second', scope: 'server', when: { request: { nth: 2 } }, then: { respond: { status: 429 } } }],
};
const sandbox = useSandbox({ scenarioYaml: JSON.stringify(second) });
beforeEach(() => sandbox.control('POST', '/reset'));

const send = async (project: string, headers: Record<string, string> = {}): Promise<number> =>
  (await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [] }, headers)).status;
const refusal = expect.stringContaining('rule "second" has "scope: server", which counts over all projects; activate');

test('a reset of a project keeps the counts, a reset of all restarts them', async () => {
  const [one, other] = [freshProject(), freshProject()];
  expect(await send(one)).toBe(200);
  await sandbox.control('POST', `/projects/${one}/reset`);
  expect(await send(other)).toBe(429);
  const { rules } = (await sandbox.control('GET', `/projects/${one}/scenarios`)).body;
  expect(rules[0]).toMatchObject({ rule: 'second', met: 2, acted: 1 });
  await sandbox.control('POST', '/reset');
  expect([await send(one), await send(other), await send(one)]).toEqual([200, 429, 200]);
});

test('is allowed for all projects while the server runs, which restarts the counts', async () => {
  expect([await send(freshProject()), await send(freshProject())]).toEqual([200, 429]);
  expect((await sandbox.control('PUT', '/server-scenarios', { scenarios: [second] })).status).toBe(200);
  expect([await send(freshProject()), await send(freshProject())]).toEqual([200, 429]);
});

test('is refused for one project and for one request', async () => {
  const project = freshProject();
  const put = await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: ['flaky', second] });
  expect(put).toMatchObject({ status: 400, body: { errors: [{ path: '/scenarios/1', message: refusal }] } });
  const headers = { 'x-sandbox-scenario': 'second' };
  const sent = await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [] }, headers);
  expect(sent).toMatchObject({ status: 400, body: { message: refusal } });
});

test('counts callbacks of all projects', async () => {
  const rules = [{ name: 'first', scope: 'server', times: 1, then: { callback: { drop: true } } }];
  await sandbox.control('PUT', '/server-scenarios', { scenarios: [{ name: 'lost', rules }] });
  const states: unknown[] = [];
  for (const project of [freshProject(), freshProject()]) {
    await sandbox.freeze(project);
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'FAIL-1' }] });
    await sandbox.advance(project);
    states.push(...(await sandbox.items(project, 'callbacks')).map(({ state }) => state));
  }
  expect(states).toEqual(['dropped', 'inbox']);
});

test('a draw by chance differs between projects', async () => {
  const rules = [{ name: 'half', scope: 'server', chance: 0.5, then: { respond: { status: 429 } } }];
  await sandbox.control('PUT', '/server-scenarios', { scenarios: [{ name: 'half', rules }] });
  const statuses: number[] = [];
  for (let n = 0; n < 20; n += 1) statuses.push(await send(freshProject()));
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
});

test('a recording is incomplete, with the reason, only if such a rule has matched a request', async () => {
  const [quiet, project] = [freshProject(), freshProject()];
  await sandbox.control('PUT', '/server-scenarios', {
    scenarios: [{ ...second, rules: [{ ...second.rules[0], when: { project } }] }],
  });
  const record = async (id: string) => (await sandbox.control('GET', `/projects/${id}/recording`)).body;
  expect([await send(quiet), await send(project)]).toEqual([200, 429]);
  expect(await record(quiet)).toMatchObject({ complete: true });
  const recording = await record(project);
  const reason = 'a rule with "scope: server" has counted the requests of other projects too';
  expect(recording).toMatchObject({ complete: false, incomplete: reason });
  expect(await createRecordingReader().read(recording, 'r.json')).toEqual({
    mistakes: [
      `r.json: /complete: expected true, got false; an incomplete recording cannot be replayed, because ${reason}`,
    ],
  });
});
