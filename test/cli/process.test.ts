/** The built program as a process; golden/start.txt has what it prints. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { environment, useProgram } from '../harness/program.ts';

const { folder, start, startReady } = useProgram();
const program = path.join(folder, 'dist/main.js');

test('the reader of the help may close the pipe early', async () => {
  const shell = `"${process.execPath}" "${program}" --help | head -1`;
  const { stdout, stderr } = await promisify(execFile)('bash', ['-o', 'pipefail', '-c', shell], {
    env: environment({}),
  });
  expect(stdout).toMatch(/^Usage: field-sandbox/);
  expect(stderr).toBe('');
});

test('the file is executable, as npx requires', async () => {
  const { stdout } = await promisify(execFile)(program, ['--help'], { env: environment({}) });
  expect(stdout).toContain('field-sandbox');
});

test('prints its URL, and commands that work when pasted', async () => {
  const { waitFor, waitForOutput, stop } = start(['--port', '0']);
  const printed = await waitFor(({ out }) => (out.includes('/callbacks\n') ? out : undefined));
  const commands = [...printed.matchAll(/^ {2}(curl .*)$/gm)].map((match) => match[1] ?? '');
  expect(commands).toHaveLength(2);
  const shell = async (command: string) =>
    JSON.parse((await promisify(execFile)('sh', ['-c', `${command} -sS`])).stdout);
  expect(await shell(commands[0] ?? '')).toMatchObject({ jobsReceived: 2, failed: [] });
  const told = await shell(`${commands[1]}'?await=5s&min=1'`);
  expect(told.items[0].body.data.failed).toEqual([{ id: 'FAIL-GEOCODE-1', reason: 'Address could not be geocoded' }]);
  await waitForOutput('"operation":"asyncImportJobs"');
  // 0 also says that it ended by itself: after the timeout of the shutdown it would be 1.
  expect(await stop()).toBe(0);
});

test('--json prints a JSON line for each request', async () => {
  const { url, waitFor, stop } = await startReady([]);
  await fetch(`${url}/nowhere`);
  const line = await waitFor(({ out }) => /(?<=\n).*(?=\n)/.exec(out)?.[0]);
  expect(JSON.parse(line)).toMatchObject({ event: 'request', status: 404 });
  expect(await stop()).toBe(0);
});

test('--demo fills a project before the ready message', async () => {
  const { url, stop } = await startReady(['--demo']);
  const projects = await (await fetch(`${url}/_sandbox/projects`)).json();
  expect(projects).toMatchObject({ items: [{ id: 'demo', counts: { routes: 2, callbacks: 1 } }] });
  expect(await stop()).toBe(0);
});

test('ends in time while a request and a callback are pending', async () => {
  const { url, stop } = await startReady(['--log', 'off', '--scenario', 'late-callbacks']);
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  const body = JSON.stringify({ jobs: [{ id: 'FAIL-1' }] });
  expect((await fetch(`${url}/async/projects/p/jobs`, { method: 'POST', headers, body })).status).toBe(202);
  // 0 also says that it ended by itself: after the timeout of the shutdown it would be 1.
  expect(await stop()).toBe(0);
});
