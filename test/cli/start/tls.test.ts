/** Open connections over TLS do not delay the end of a process. */
import { once } from 'node:events';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { useProgram } from '../../harness/program.ts';

const program = useProgram();

test('a process with --tls ends in time while a connection is open', async () => {
  const { child, waitFor, ended } = await program.startReady(['--log', 'off', '--tls', '--tls-port', '0']);
  const [, port] = await waitFor(({ out }) => /"tlsUrl":"https:\/\/127\.0\.0\.1:(\d+)"/.exec(out) ?? undefined);
  const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false });
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
