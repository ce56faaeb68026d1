/** A sandbox that is closed waits for nobody who never says what he wants. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { writeProfile } from '../../harness/profile.ts';
import { startOne } from '../../harness/start-sandbox.ts';
import { createTestWall } from '../../harness/wall.ts';
import { startWith } from '../data-steps.ts';

test.each([
  ['half a head', 'POST /sync/projects/p/jobs/batch HTTP/1.1\r\nhost: localhost\r\n'],
  [
    'half a body',
    'POST /sync/projects/p/jobs/batch HTTP/1.1\r\nhost: localhost\r\napikey: sandbox-key\r\ncontent-length: 9\r\n\r\n{"jo',
  ],
])('disconnects a client that has sent %s after five seconds', async (_what, text) => {
  const wall = createTestWall(Date.parse('2026-03-02T09:30:00Z'));
  const sandbox = await startOne({}, {}, wall);
  const socket = connect(Number(new URL(sandbox.url).port), '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  // So that what was written has arrived.
  await fetch(`${sandbox.url}/_sandbox/health`).then((answer) => answer.text());
  let isClosed = false;
  const closing = sandbox.close().then(() => {
    isClosed = true;
  });
  // So that it has stopped listening: the five seconds begin then.
  for (let turn = 0; turn < 5; turn += 1) await new Promise((next) => setImmediate(next));
  wall.pass(4999);
  await new Promise((turn) => setImmediate(turn));
  expect(isClosed).toBe(false);
  wall.pass(1);
  await closing;
});

test('a sandbox that closes does not wait for a client that has sent nothing', async () => {
  // No time passes: nothing but the quiet connection ends it.
  const sandbox = await startOne({}, {}, createTestWall(Date.parse('2026-03-02T09:30:00Z')));
  const socket = connect(Number(new URL(sandbox.url).port), '127.0.0.1').resume();
  await once(socket, 'connect');
  await Promise.all([once(socket, 'end'), sandbox.close()]);
});

test('a sandbox that closes while it sends a callback does not wait for the response', async () => {
  const other = await startWith({ profile: writeProfile({ callbacks: { timeout: '10m' } }) });
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  await other.control('PUT', '/projects/x/callback-endpoint', { url });
  const came = once(silent, 'request');
  await other.api('POST', '/async/projects/x/jobs', { jobs: [{ id: 'FAIL-1' }] });
  await came;
  await other.close();
  silent.closeAllConnections();
  silent.close();
});
