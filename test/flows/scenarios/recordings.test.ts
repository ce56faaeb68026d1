/** Recordings of projects whose scenarios change, and whose rules count over all projects, replay identically. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
import { playRecording, replayRecording } from '../../../src/cli/replay/replay.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({
  scenarioYaml: 'name: at-start\nrules: [{ when: { item: { id: S } }, then: { refuse: from the start } }]',
});
beforeEach(() => sandbox.control('POST', '/reset'));

const importOrders = (project: string, ...ids: readonly string[]) =>
  sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: ids.map((id) => ({ id })) });

/** Records a project and replays the recording. */
async function replay(project: string) {
  const { body } = await sandbox.control('GET', `/projects/${project}/recording`);
  const read = await createRecordingReader().read(body, 'r.json');
  if ('mistakes' in read) throw new Error(read.mistakes.join('\n'));
  const { callbacks } = await playRecording(read, { replied: () => undefined });
  return { recording: body, states: callbacks.map(({ state }) => state), ...(await replayRecording(read)) };
}

test('scenarios of a project that continue with their counts', async () => {
  const project = freshProject();
  const once = (name: string, status: number) => ({ name, rules: [{ times: 1, then: { respond: { status } } }] });
  const put = (scenarios: readonly unknown[]) =>
    sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios, keep: true });
  await put([once('first', 503)]);
  const statuses = [(await importOrders(project)).status];
  await put([once('second', 500), 'first']);
  for (let n = 0; n < 2; n += 1) statuses.push((await importOrders(project)).status);
  expect(statuses).toEqual([503, 500, 200]);
  expect((await replay(project)).differences).toEqual([]);
});

test('scenarios for all projects: those at the start, and every later change', async () => {
  const project = freshProject();
  const put = (name: string, id: string, more: object = {}) => {
    const rules = [{ name: 'refuse', when: { item: { id } }, then: { refuse: name }, ...more }];
    return sandbox.control('PUT', '/server-scenarios', { scenarios: [{ name, rules }] });
  };
  const refused = async () =>
    (await importOrders(project, 'A', 'B')).body.failed.map(({ reason }: { reason: string }) => reason);
  await put('first', 'A');
  expect(await refused()).toEqual(['first']);
  for (let n = 0; n < 2; n += 1) {
    await put('second', 'B', { times: 1 });
    expect(await refused()).toContain('second');
  }
  const { recording, ...replayed } = await replay(project);
  expect(recording.changes.map(({ kind }: { kind: string }) => kind)).toEqual([
    ...['request', 'server-scenarios', 'request', 'server-scenarios', 'request'],
  ]);
  expect(replayed).toMatchObject({ requests: 3, callbacks: 0, differences: [] });
});

test('a draw by chance differs between projects', async () => {
  const rules = [{ name: 'half', scope: 'server', chance: 0.5, then: { respond: { status: 429 } } }];
  await sandbox.control('PUT', '/server-scenarios', { scenarios: [{ name: 'half', rules }] });
  const statuses: number[] = [];
  for (let n = 0; n < 20; n += 1) statuses.push((await importOrders(freshProject())).status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
});

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
      const { status, text } = await importOrders(project, 'A');
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
