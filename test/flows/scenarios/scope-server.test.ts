/** Rules with `scope: server`: where they are allowed, when their counts restart, and what a recording says. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
import { playRecording, replayRecording } from '../../../src/cli/replay/replay.ts';
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

/** Records a project and replays the recording. */
async function replay(project: string) {
  const { body } = await sandbox.control('GET', `/projects/${project}/recording`);
  const read = await createRecordingReader().read(body, 'r.json');
  if ('mistakes' in read) throw new Error(read.mistakes.join('\n'));
  const { callbacks } = await playRecording(read, { replied: () => undefined });
  return { recording: body, states: callbacks.map(({ state }) => state), ...(await replayRecording(read)) };
}

describe('a recording of one project has the counts of all, and replays identically', () => {
  const rules = {
    'the number of the request': { when: { request: { every: 3 } }, then: { respond: { status: 429 } } },
    'the number of firings': { times: 2, then: { refuse: 'not yet' } },
    chance: { chance: 0.5, then: { respond: { status: 503 } } },
    'the chance of each entry': { when: { item: { id: '*' } }, chance: 0.5, then: { refuse: 'by chance' } },
    'a span after some requests': {
      when: { during: { afterRequests: 4, for: '1h' } },
      then: { respond: { status: 503 } },
    },
  };

  test.each(Object.entries(rules))('%s', async (name, rule) => {
    await sandbox.control('PUT', '/server-scenarios', {
      scenarios: [{ name: 'counted', rules: [{ name, scope: 'server', ...rule }] }],
    });
    const [running, frozen, late] = [freshProject(), freshProject(), freshProject()];
    await sandbox.freeze(frozen);
    const bodies = new Set<string>();
    for (const project of [running, frozen, running, frozen, frozen, running, late, frozen, running, late]) {
      const { status, text } = await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'A' }] });
      bodies.add(`${status} ${text.includes('not yet') || text.includes('by chance')}`);
    }
    expect(bodies.size).toBe(2);
    for (const project of [running, frozen, late]) {
      const { recording, differences } = await replay(project);
      expect(recording.complete).toBe(true);
      expect(differences).toEqual([]);
    }
  });

  test('callbacks have the counts of callbacks', async () => {
    const rule = { name: 'second', scope: 'server', when: { request: { nth: 2 } }, then: { callback: { drop: true } } };
    await sandbox.control('PUT', '/server-scenarios', { scenarios: [{ name: 'lost', rules: [rule] }] });
    const [first, second] = [freshProject(), freshProject()];
    for (const project of [first, second]) {
      await sandbox.freeze(project);
      await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'FAIL-1' }] });
      await sandbox.advance(project);
    }
    const { recording, differences, states } = await replay(second);
    expect(differences).toEqual([]);
    expect(states).toEqual(['dropped']);
    expect((await replay(first)).states).toEqual(['inbox']);
    expect(recording.changes.find(({ kind }: { kind: string }) => kind === 'callback')).toMatchObject({
      state: 'dropped',
      serverCounts: { 'server/lost#1': { met: 1, acted: 0 } },
    });
  });
});
