/** `--tls` on the command line: what is printed, what is refused, how it ends. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { useProgram } from '../harness/program.ts';

const program = useProgram();
const start = ['--port', '0', '--log', 'off', '--tls'];

/** The first line of `--json`. */
async function startJson(args: readonly string[]) {
  const running = program.start([...args, '--json']);
  let text = '';
  running.child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  await running.wrote('\n');
  return { ...running, ready: JSON.parse(text) as { url: string; tlsUrl?: string; caUrl?: string } };
}

test('--json tells where, and what to trust; it ends within a second though a connection is open', async () => {
  const { child, ended, ready } = await startJson(start);
  expect(ready.tlsUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(ready.caUrl).toBe(`${ready.url}/_sandbox/ca.pem`);
  const ca = await (await fetch(ready.caUrl ?? '')).text();
  const socket = connect({
    port: Number(new URL(ready.tlsUrl ?? '').port),
    host: '127.0.0.1',
    servername: 'localhost',
    ca,
  });
  socket.write('GET /_sandbox/health HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('{"status":"ok"}');
  const closed = once(socket, 'close');
  const askedAt = performance.now();
  child.kill('SIGTERM');
  const { code, err } = await ended;
  await closed;
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(performance.now() - askedAt).toBeLessThan(4500);
});

test('people are told how to trust it, in words that can be pasted', async () => {
  const { child, wrote, ended } = program.start(start);
  await wrote('/callbacks\n');
  child.kill('SIGTERM');
  const { out } = await ended;
  expect(out).toMatch(
    /\n {2}https {4}https:\/\/127\.0\.0\.1:\d+; to trust it: curl -o ca\.pem http:\/\/127\.0\.0\.1:\d+\/_sandbox\/ca\.pem\n/,
  );
  expect(out).not.toMatch(/PRIVATE|BEGIN/);
});

test('without --tls nothing is said of it', async () => {
  const { child, ended, ready } = await startJson(start.slice(0, -1));
  expect(Object.keys(ready)).toEqual(['event', 'url', 'apiKey', 'control']);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

test('the command of run is told where https is', async () => {
  const script = `fetch(process.env.SANDBOX_URL + '/_sandbox/settings').then((answer) => answer.json())
    .then(({ tlsUrl }) => process.exit(tlsUrl === process.env.SANDBOX_TLS_URL && tlsUrl.startsWith('https://') ? 0 : 5))`;
  const { code, err } = await program.run(['run', '--tls', '--', process.execPath, '-e', script], {
    SANDBOX_TLS_PORT: '1',
  });
  expect(code, err).toBe(0);
});

test.each([
  [
    'a file that is not there',
    ['--tls-cert', 'no.pem', '--tls-key', 'no.key'],
    /^--tls-cert: no\.pem: can't be read \(ENOENT\)\n--tls-key: no\.key: /,
  ],
  [
    'a key that is none',
    ['--tls-cert', 'package.json', '--tls-key', 'package.json'],
    /^--tls-cert: package\.json: expected a certificate as PEM .*\n--tls-key: package\.json: expected a private key/,
  ],
  ['a key alone', ['--tls-key', 'no.key'], /^--tls-key: requires --tls-cert\n$/],
  ['a name that is none', ['--tls-name', 'http://a'], /^--tls-name: expected a host name/],
  [
    'an option that there is not',
    ['--tls-nam', 'a'],
    /unknown option '--tls-nam'\n\(Did you mean (one of )?--tls-name/,
  ],
])('%s is refused in a line, and the code is 2', async (_what, args, words) => {
  const { code, out, err } = await program.run([...start, ...args]);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(words);
  expect(err).not.toMatch(/^\s+at /m);
});

test('a port that is taken is told by its option, and http is not served either', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const { code, err } = await program.run([...start, '--tls-port', String(port)]);
  expect([code, err]).toEqual([2, `--tls-port: ${port} is taken; give another, or 0 for a free one\n`]);
  other.close();
});
