/** The built program continues after unusual log lines, on a full disk, without file descriptors, and without its files. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import path from 'node:path';
import { expect, test } from 'vitest';
import { environment, type Ready, useProgram } from '../../harness/program.ts';
import { useReceiver } from '../../harness/receiver.ts';

const program = useProgram();
const receiver = useReceiver();

/** Sets limits of a running process, if the system has `prlimit`. */
const canLimit = existsSync('/usr/bin/prlimit');
const limit = ({ child }: Pick<Ready, 'child'>, what: string): void =>
  void execFileSync('prlimit', ['--pid', String(child.pid), what]);

/** Creates a client with one connection, which is open before descriptors run out. */
function createClient({ url }: Pick<Ready, 'url'>) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return async (method: string, where: string, body?: unknown): Promise<{ status: number; text: string }> => {
    const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
    const asked = request(url + where, { method, agent, headers }).end(body && JSON.stringify(body));
    const [answer] = await once(asked, 'response');
    let text = '';
    for await (const chunk of answer) text += chunk;
    return { status: answer.statusCode, text };
  };
}

type Client = ReturnType<typeof createClient>;

async function metric(ask: Client, name: string): Promise<number> {
  const { text } = await ask('GET', '/_sandbox/metrics');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

async function end({ child, ended }: Ready): Promise<number | null> {
  child.kill('SIGTERM');
  return (await ended).code;
}

test('every file that a piece of the program requires exists', () => {
  const dist = path.join(program.folder, 'dist');
  const pieces = readdirSync(dist).filter((name) => name.endsWith('.js'));
  const asked = pieces.flatMap((name) =>
    [...readFileSync(path.join(dist, name), 'utf8').matchAll(/\brequire\("(\.[^"]*)"\)/g)].map(
      (match) => match[1] ?? '',
    ),
  );
  expect(pieces.length).toBeGreaterThan(30);
  expect(asked.length).toBeGreaterThan(30);
  expect(asked.filter((name) => !existsSync(path.join(dist, name)))).toEqual([]);
});

test.skipIf(!canLimit)('without a file descriptor the control API responds with 500, and recovers', async () => {
  const ready = await program.startReady([]);
  const ask = createClient(ready);
  expect((await ask('GET', '/')).status).toBe(200);
  limit(ready, '--nofile=1:');
  expect((await ask('POST', '/async/projects/p/jobs', { jobs: [{ id: 'A' }] })).status).toBe(202);
  await ready.waitForOutput('"url":"/async/projects/p/jobs","status":202');
  const refused = await ask('GET', '/_sandbox/projects');
  expect(refused).toMatchObject({ status: 500, text: expect.stringContaining('search its log for req_') });
  limit(ready, '--nofile=1024:');
  expect((await ask('GET', '/_sandbox/projects')).status).toBe(200);
  expect(await metric(ask, 'sandbox_escaped_errors_total')).toBe(0);
  expect(await end(ready)).toBe(0);
});

test.skipIf(!canLimit)('without a file descriptor a callback attempt fails, and is retried', async () => {
  const ready = await program.startReady(['--callback-url', `${receiver.url()}/callbacks`, '--log', 'off']);
  const ask = createClient(ready);
  const clock = '/_sandbox/projects/p/clock';
  await ask('PUT', clock, { mode: 'frozen' });
  await ask('POST', '/async/projects/p/jobs', { jobs: [{ id: 'FAIL-1' }] });
  limit(ready, '--nofile=1:');
  expect((await ask('POST', `${clock}/advance`, { by: '1s' })).status).toBe(200);
  const list = await ask('GET', '/_sandbox/projects/p/callbacks');
  const error = expect.stringContaining('has no file descriptors left');
  expect(JSON.parse(list.text).items).toMatchObject([{ state: 'scheduled', attempts: [{ error }] }]);
  limit(ready, '--nofile=1024:');
  expect((await ask('POST', `${clock}/advance`, { until: 'idle' })).status).toBe(200);
  expect(receiver.received).toHaveLength(1);
  expect(await end(ready)).toBe(0);
});

test('a missing piece of the program gives 500, and is loaded once it exists', async () => {
  const ready = await program.startReady(['--log', 'off']);
  const ask = createClient(ready);
  const dist = path.join(program.folder, 'dist');
  const [piece = ''] = readdirSync(dist).filter((name) => name.startsWith('control-app-'));
  renameSync(path.join(dist, piece), path.join(dist, 'away'));
  const first = await ask('GET', '/_sandbox/projects');
  const second = await ask('GET', '/_sandbox/health');
  renameSync(path.join(dist, 'away'), path.join(dist, piece));
  expect([first.status, second.status]).toEqual([500, 500]);
  expect((await ask('GET', '/_sandbox/projects')).status).toBe(200);
  expect(await end(ready)).toBe(0);
});

test.skipIf(!canLimit)(
  'on a full disk log lines are dropped and counted, and written again once there is space',
  async () => {
    const file = path.join(program.folder, 'log');
    const args = [path.join(program.folder, 'dist/main.js'), '--host', '127.0.0.1', '--port', '0', '--json'];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', openSync(file, 'a'), 'ignore'],
      env: environment({}),
    });
    const lines = (): string[] => readFileSync(file, 'utf8').split('\n');
    await expect.poll(() => lines().length).toBe(2);
    const ready = { child, url: JSON.parse(lines()[0] ?? '').url };
    const ask = createClient(ready);
    // Writes fail because the file may not grow, as on a full disk.
    limit(ready, `--fsize=${statSync(file).size}:`);
    for (let count = 0; count < 3; count += 1) await ask('GET', '/nowhere');
    await expect.poll(() => metric(ask, 'sandbox_log_lines_dropped_total')).toBe(3);
    limit(ready, '--fsize=unlimited:');
    await ask('GET', '/written');
    await expect.poll(lines).toEqual([expect.any(String), expect.stringContaining('/written'), '']);
    const ended = once(child, 'exit');
    child.kill();
    expect(await ended).toEqual([0, null]);
  },
);

test('the program continues after the reader of its log has closed it, and counts the dropped lines', async () => {
  const ready = await program.startReady([]);
  const ask = createClient(ready);
  ready.child.stdout?.destroy();
  ready.child.stderr?.destroy();
  for (let count = 0; count < 5; count += 1) await ask('GET', '/nowhere');
  await expect.poll(() => metric(ask, 'sandbox_log_lines_dropped_total')).toBe(5);
  expect(await end(ready)).toBe(0);
});

/** Loaded into the process before the program: fails at certain signals. */
const saboteur = `
process.on('SIGWINCH', () => void Promise.reject(new Error('nobody handled this')));
process.on('SIGCONT', () => setImmediate(() => new (require('node:net').Socket)().emit('error', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }))));
process.on('SIGURG', () => setImmediate(() => { throw new TypeError('half done'); }));
`;

test('uncaught errors are logged and counted; only an exception within other code ends the process', async () => {
  const file = path.join(program.folder, 'saboteur.cjs');
  writeFileSync(file, saboteur);
  const ready = await program.startReady(['--log', 'off'], { NODE_OPTIONS: `--require ${file}` });
  const ask = createClient(ready);
  ready.child.kill('SIGWINCH');
  await expect.poll(() => metric(ask, 'sandbox_escaped_errors_total')).toBe(1);
  ready.child.kill('SIGCONT');
  await expect.poll(() => metric(ask, 'sandbox_escaped_errors_total')).toBe(2);
  ready.child.kill('SIGURG');
  const { code, err } = await ready.ended;
  expect(code).toBe(1);
  expect(err).toMatch(/^bug escaped: Error: nobody handled this$/m);
  expect(err).toMatch(/^bug escaped: Error: read ECONNRESET$/m);
  expect(err).toMatch(/^bug escaped: TypeError: half done$/m);
  expect(err).toMatch(/^field-sandbox: this error ends the process/m);
});
