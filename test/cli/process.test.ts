/** The built program as a process: its output and its exit codes. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { optionTable } from '../../src/config/option-table.ts';
import { environment, useProgram } from '../harness/program.ts';

const { folder, run } = useProgram();
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

/** Stops it with SIGTERM. Returns the exit code and the duration. */
async function stop({ child }: Running): Promise<{ code: number | null; ms: number }> {
  const askedAt = performance.now();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = (await ended) as [number | null];
  children.delete(child);
  return { code, ms: performance.now() - askedAt };
}

test('--help lists every option and command', async () => {
  const { code, out } = await run(['--help']);
  expect(code).toBe(0);
  for (const { flag, env } of optionTable) {
    expect(out).toContain(flag);
    expect(out).toContain(env);
  }
  for (const command of ['start', 'check', 'sample', 'listen', 'health'])
    expect(out).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
});

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  expect(await run(['--version'])).toMatchObject({ code: 0, out: `${version}\n` });
});

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

describe('mistakes are reported on one line, with exit code 2', () => {
  test.concurrent.each([
    ['an unknown option', ['--prot', '1'], ['unknown option', '--port?']],
    ['an option without its value', ['--port'], ['--port <number>', 'argument missing']],
    ['an unknown command', ['chek', 'x.yaml'], ['unknown command "chek", did you mean check?']],
    ['a missing profile', ['--profile', '/nowhere.yaml'], ['/nowhere.yaml: file not found']],
    ['an unknown scenario', ['--scenario', 'outtage'], ['did you mean outage?']],
    [
      'an unavailable host',
      ['--port', '0', '--host', '203.0.113.7'],
      ['cannot listen: ', 'EADDRNOTAVAIL', 'check --host and --port'],
    ],
    ['no file to check', ['check'], ["missing required argument 'file'"]],
    ['an unknown operation', ['sample', 'asyncImportJob'], ['did you mean asyncImportJobs?']],
  ])('%s', async (_, args, words) => {
    const { code, out, err } = await run(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    for (const word of words) expect(err).toContain(word);
    expect(err).not.toMatch(/^\s+at /m);
  });

  test.concurrent.each<[string, readonly string[], Record<string, string>, string]>([
    ['a scenario', [], { SANDBOX_SCENARIO: 'outtage' }, 'SANDBOX_SCENARIO: there is no scenario "outtage"'],
    ['a scenario of run', ['run', '--', 'true'], { SANDBOX_SCENARIO: 'outtage' }, 'SANDBOX_SCENARIO: there is no'],
    ['a folder', ['--port', '0'], { SANDBOX_DATA: '/dev/null' }, 'SANDBOX_DATA: /dev/null '],
    ['a host', ['--port', '0'], { SANDBOX_HOST: '203.0.113.7' }, 'check SANDBOX_HOST and --port'],
  ])('names the variable of a value that cannot be used: %s', async (_, args, options, message) => {
    const { code, err } = await run(args, options);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  test('several invalid values, from the command line and the environment', async () => {
    const args = ['--port', 'x', '--clock', 'y', '--api-key', 'k@mars', '--callback-url', 'ftp://a'];
    const { code, err } = await run(args, { SANDBOX_LOG: 'loud', SANDBOX_STRICT: 'yes' });
    expect(code).toBe(2);
    const names = ['--port', '--api-key', '--callback-url', '--clock', 'SANDBOX_STRICT', 'SANDBOX_LOG'];
    expect(
      err
        .trim()
        .split('\n')
        .map((line) => line.split(': ')[0]),
    ).toEqual(names);
  });
});

test.each([
  ['pretty', /^warning: SANDBOX_HOST: with 0\.0\.0\.0 and without an admin token, .*\n$/],
  ['json', /^\{"event":"warning","message":"SANDBOX_HOST: with 0\.0\.0\.0 and without an admin token, .*"\}\n$/],
])('warns on stderr about a control API without a token, with --log %s', async (log, line) => {
  const { err } = await run(['--log', log, '--port', '0', '--data', '/dev/null'], { SANDBOX_HOST: '0.0.0.0' });
  expect(err.replace(/^--data.*\n/m, '')).toMatch(line);
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

  const { code, ms } = await stop(running);
  expect(code).toBe(0);
  expect(ms).toBeLessThan(4500);
});

test('prints the URLs of the API, the control API and the console', async () => {
  const running = await start(['--log', 'off'], /Try it/);
  const [, url = ''] = /URL {6}(\S+)/.exec(running.printed()) ?? [];
  expect(running.printed()).toContain(`\n  control  ${url}/_sandbox\n  console  ${url}/_sandbox/\n`);
  await stop(running);
});

test('--json prints JSON lines, the first when it is ready', async () => {
  const running = await start(['--json'], /\n/);
  const ready = JSON.parse(running.printed().split('\n')[0] ?? '');
  expect(ready).toMatchObject({ event: 'ready', url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
  await fetch(`${ready.url}/nowhere`);
  await expect.poll(() => running.printed().trim().split('\n').length).toBe(2);
  expect(JSON.parse(running.printed().split('\n')[1] ?? '')).toMatchObject({ event: 'request', status: 404 });
  const { port } = new URL(ready.url);

  const taken = await run(['--port', port]);
  expect(taken).toEqual({
    code: 2,
    out: '',
    err: `port ${port} is in use; choose another with --port (0 picks a free one)\n`,
  });

  expect(await run(['health', '--port', port])).toEqual({ code: 0, out: '', err: '' });
  expect((await run(['health'], { SANDBOX_PORT: port })).code).toBe(0);
  expect((await stop(running)).code).toBe(0);
  expect(await run(['health', '--port', port])).toMatchObject({ code: 1, err: expect.stringContaining('not ready') });
});

test('--demo fills a project before the ready message, and prints its link', async () => {
  const running = await start(['--demo', '--json'], /\n/);
  const { url, demo } = JSON.parse(running.printed().split('\n')[0] ?? '');
  expect(demo).toBe(`${url}/_sandbox/#/live?project=demo`);
  const projects = await (await fetch(`${url}/_sandbox/projects`)).json();
  expect(projects).toMatchObject({ items: [{ id: 'demo', counts: { routes: 2, callbacks: 1 } }] });
  expect((await stop(running)).code).toBe(0);

  const toRead = await start(['--demo'], /control {2}[\s\S]*\n\n/);
  expect(toRead.printed()).toMatch(/^ {2}demo {5}http:\/\/127\.0\.0\.1:\d+\/_sandbox\/#\/live\?project=demo \(/m);
  await stop(toRead);
});

test('ends in time while a request and a callback are pending', async () => {
  const running = await start(['--json', '--log', 'off', '--scenario', 'late-callbacks'], /\n/);
  const { url } = JSON.parse(running.printed());
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  const body = JSON.stringify({ jobs: [{ id: 'FAIL-1' }] });
  expect((await fetch(`${url}/async/projects/p/jobs`, { method: 'POST', headers, body })).status).toBe(202);
  const { code, ms } = await stop(running);
  expect(code).toBe(0);
  expect(ms).toBeLessThan(4500);
});

test('check: exit code 0 for valid files, 1 with file, line and column otherwise', async () => {
  const bad = path.join(folder, 'bad.yaml');
  writeFileSync(bad, 'name: bad\nrules:\n  - then: { refuze: no }\n');
  expect(await run(['check', 'scenarios/outage.yaml'])).toMatchObject({
    code: 0,
    out: 'scenarios/outage.yaml: valid\n',
  });
  const { code, out, err } = await run(['check', 'scenarios/outage.yaml', bad]);
  expect({ code, err }).toEqual({ code: 1, err: '' });
  expect(out).toContain(`${bad}:3:13  unknown key "refuze", did you mean refuse?`);
});

test('the output of sample is accepted by a strict sandbox', async () => {
  const running = await start(['--json', '--log', 'off', '--strict'], /\n/);
  const sample = await run(['sample', 'asyncImportJobs', '--seed', 'mine']);
  expect(sample).toMatchObject({ code: 0, err: '' });
  const { url } = JSON.parse(running.printed());
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  const response = await fetch(`${url}/async/projects/p/jobs`, { method: 'POST', headers, body: sample.out });
  expect([response.status, await response.json()]).toMatchObject([202, { failed: [] }]);
  await stop(running);
});
