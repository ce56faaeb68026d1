/** The memory of the recordings of a sandbox; `run/record.test.ts` has what they hold. */
import { expect, test } from 'vitest';
import { collectRecordings } from '../../../src/cli/recordings/collect.ts';
import type { RunningSandbox } from '../../../src/server.ts';
import { startOne } from '../../harness/start-sandbox.ts';

const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };

async function importJobs({ url }: RunningSandbox, project: string, ids: readonly string[]): Promise<void> {
  const body = JSON.stringify({ jobs: ids.map((id) => ({ id })) });
  const response = await fetch(`${url}/async/projects/${project}/jobs`, { method: 'POST', headers, body });
  expect(response.status).toBe(202);
}

test('beyond the maximum memory, the oldest lives lose their changes and say why', async () => {
  const sandbox = await startOne({ clock: 'frozen' }, { keepsAllRequests: true });
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

test('lives without changes take no memory', async () => {
  const sandbox = await startOne({ clock: 'frozen' }, { keepsAllRequests: true });
  const collector = collectRecordings(sandbox, 5000);
  await importJobs(sandbox, 'first', ['J-1']);
  sandbox.projects.reset('first');
  for (let n = 0; n < 10; n += 1) {
    sandbox.projects.open('empty');
    sandbox.projects.reset('empty');
  }
  expect(collector.finish().map(({ project, recording }) => [project, recording.complete])).toEqual([['first', true]]);
});
