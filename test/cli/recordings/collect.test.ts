/** The recordings of a sandbox: one for each life of a project, complete, and playable. */
import { afterEach, expect, test } from 'vitest';
import { collectRecordings, type RecordedLife } from '../../../src/cli/recordings/collect.ts';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
import { replayRecording } from '../../../src/cli/replay/replay.ts';
import { parseOptions } from '../../../src/config/options.ts';
import { toJsonPieces } from '../../../src/http/json-pieces.ts';
import { type RunningSandbox, startSandbox } from '../../../src/server.ts';

const started: RunningSandbox[] = [];
afterEach(() => Promise.all(started.splice(0).map((sandbox) => sandbox.close())));

async function start(): Promise<RunningSandbox> {
  const parsed = parseOptions({ port: '0', log: 'off', clock: 'frozen' }, {});
  if (!parsed.ok) throw new Error(parsed.mistakes.join('\n'));
  const reportError = (_id: string, error: unknown) => {
    throw error;
  };
  const notices = { reportError, warn: () => undefined, keepsAllRequests: true };
  const sandbox = await startSandbox(parsed.options, notices);
  started.push(sandbox);
  return sandbox;
}

const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };

async function importJobs({ url }: RunningSandbox, project: string, ids: readonly string[]): Promise<void> {
  const body = JSON.stringify({ jobs: ids.map((id) => ({ id })) });
  const response = await fetch(`${url}/async/projects/${project}/jobs`, { method: 'POST', headers, body });
  expect(response.status).toBe(202);
}

/** Replays a life. Returns its numbers of requests and callbacks. */
async function replay({ project, life, recording }: RecordedLife): Promise<readonly unknown[]> {
  const value = JSON.parse([...toJsonPieces(recording)].join(''));
  const loaded = await createRecordingReader().read(value, project);
  if ('mistakes' in loaded) throw new Error(loaded.mistakes.join('\n'));
  const { requests, callbacks, differences } = await replayRecording(loaded);
  expect(differences).toEqual([]);
  return [project, life, requests, callbacks];
}

test('a reset and an eviction end a life; projects that nobody changed have none', async () => {
  const sandbox = await start();
  const collector = collectRecordings(sandbox);
  await importJobs(sandbox, 'again', ['J-1', 'FAIL-1']);
  sandbox.projects.reset('again');
  await importJobs(sandbox, 'again', ['J-2']);
  await importJobs(sandbox, 'again', ['J-3']);
  sandbox.projects.open('unused');
  sandbox.projects.resetAll();
  await importJobs(sandbox, 'evicted', ['J-1']);
  await sandbox.projects.peek('evicted')?.schedule.advance(() => ({ to: Number.MAX_SAFE_INTEGER, stopIdle: true }));
  sandbox.projects.evictIdle(1, 'again');
  await importJobs(sandbox, 'last', ['J-1']);
  const replayed: unknown[] = [];
  for (const life of collector.finish()) replayed.push(await replay(life));
  expect(replayed).toEqual([
    ['again', 1, 1, 0],
    ['again', 2, 2, 0],
    ['evicted', 1, 1, 0],
    ['last', 1, 1, 0],
  ]);
});

test('beyond the maximum memory, the oldest lives lose their changes and say why', async () => {
  const sandbox = await start();
  const collector = collectRecordings(sandbox, 5000);
  for (const project of ['first', 'second', 'third']) {
    await importJobs(sandbox, project, ['J-1']);
    sandbox.projects.reset(project);
  }
  const lives = collector.finish();
  expect(lives.map(({ project, recording }) => [project, recording.complete])).toEqual([
    ['first', false],
    ['second', true],
    ['third', true],
  ]);
  expect([...(lives[0]?.recording.changes ?? [])]).toEqual([]);
  expect(lives[0]?.recording.incomplete).toContain('took too much memory');
});
