/** `--tls` on the command line: its output, its mistakes, and its shutdown. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { useProgram } from '../../harness/program.ts';

const program = useProgram();
const start = ['--port', '0', '--log', 'off', '--tls'];

/** Starts the program with `--json`. Returns its first line as `ready`. */
async function startJson(args: readonly string[]) {
  const running = program.start([...args, '--json']);
  let text = '';
  running.child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  await running.waitForOutput('\n');
  return { ...running, ready: JSON.parse(text) as { url: string; tlsUrl?: string; caUrl?: string } };
}

test('--json prints the https URL and the certificate URL; open connections do not delay the shutdown', async () => {
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

test('a port in use is reported with its option', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const { code, err } = await program.run([...start, '--tls-port', String(port)]);
  expect([code, err]).toEqual([2, `port ${port} is in use; choose another with --tls-port (0 picks a free one)\n`]);
  other.close();
});
