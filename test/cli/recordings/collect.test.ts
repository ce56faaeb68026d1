/** The memory of the recordings of a sandbox; `run/record.test.ts` has what they hold. */
import { afterEach, expect, test } from 'vitest';
import { collectRecordings } from '../../../src/cli/recordings/collect.ts';
import { parseOptions } from '../../../src/config/options.ts';
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
