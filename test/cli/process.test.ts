/** The built program as a process; golden/start.txt has what it prints. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { environment, useProgram } from '../harness/program.ts';

const { folder } = useProgram();
const program = path.join(folder, 'dist/main.js');
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

interface Running {
  readonly child: ChildProcess;
  readonly printed: () => string;
}

/** Starts the program and waits until its output matches. */
async function start(args: readonly string[], ready: RegExp): Promise<Running> {
  const child = spawn(process.execPath, [program, '--port', '0', ...args], { env: environment({}) });
  children.add(child);
  let printed = '';
  await new Promise<void>((done, failed) => {
    child.once('exit', (code) => failed(new Error(`ended with ${code} after ${printed}`)));
    child.stderr.on('data', (chunk) => {
      printed += chunk;
    });
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      if (ready.test(printed)) done();
    });
  });
  return { child, printed: () => printed };
}

/** Stops it with SIGTERM. Returns the exit code. */
async function stop({ child }: Running): Promise<{ code: number | null }> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = (await ended) as [number | null];
  children.delete(child);
  return { code };
}

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
  const running = await start([], /\/callbacks\n/);
  const commands = [...running.printed().matchAll(/^ {2}(curl .*)$/gm)].map((match) => match[1] ?? '');
  expect(commands).toHaveLength(2);
  const url = /URL +(http:\/\/127\.0\.0\.1:\d+)\n/.exec(running.printed())?.[1] ?? '';
  expect(running.printed()).toContain(`${url}/_sandbox\n`);

  const shell = async (command: string) =>
    JSON.parse((await promisify(execFile)('sh', ['-c', `${command} -sS`])).stdout);
  expect(await shell(commands[0] ?? '')).toMatchObject({ jobsReceived: 2, failed: [] });
  const told = await shell(`${commands[1]}'?await=5s&min=1'`);
  expect(told.items[0].body.data.failed).toEqual([{ id: 'FAIL-GEOCODE-1', reason: 'Address could not be geocoded' }]);
  await expect.poll(running.printed).toContain('"operation":"asyncImportJobs"');

  // 0 also says that it ended by itself: after the timeout of the shutdown it would be 1.
  expect((await stop(running)).code).toBe(0);
});

test('--json prints JSON lines, the first when it is ready', async () => {
  const running = await start(['--json'], /\n/);
  const ready = JSON.parse(running.printed().split('\n')[0] ?? '');
  expect(ready).toMatchObject({ event: 'ready', url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
  await fetch(`${ready.url}/nowhere`);
  await expect.poll(() => running.printed().trim().split('\n').length).toBe(2);
  expect(JSON.parse(running.printed().split('\n')[1] ?? '')).toMatchObject({ event: 'request', status: 404 });
  expect((await stop(running)).code).toBe(0);
});

test('--demo fills a project before the ready message', async () => {
  const running = await start(['--demo', '--json'], /\n/);
  const { url, demo } = JSON.parse(running.printed().split('\n')[0] ?? '');
  expect(demo).toBe(`${url}/_sandbox/#/live?project=demo`);
  const projects = await (await fetch(`${url}/_sandbox/projects`)).json();
  expect(projects).toMatchObject({ items: [{ id: 'demo', counts: { routes: 2, callbacks: 1 } }] });
  expect((await stop(running)).code).toBe(0);
});

test('ends in time while a request and a callback are pending', async () => {
  const running = await start(['--json', '--log', 'off', '--scenario', 'late-callbacks'], /\n/);
  const { url } = JSON.parse(running.printed());
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  const body = JSON.stringify({ jobs: [{ id: 'FAIL-1' }] });
  expect((await fetch(`${url}/async/projects/p/jobs`, { method: 'POST', headers, body })).status).toBe(202);
  // 0 also says that it ended by itself: after the timeout of the shutdown it would be 1.
  expect((await stop(running)).code).toBe(0);
});
