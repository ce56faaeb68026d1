/** How the server opens its ports. */
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '../../src/http/listen.ts';
import { createWallClock } from '../../src/lib/time.ts';

test.each(['127.0.0.1', 'localhost'])('%s: no request comes before both ports are open', async (host) => {
  const server = createServer();
  let isReady = false;
  // Node accepts connections from the next turn of the event loop on.
  const wasReady = new Promise((seen) => server.once('listening', () => setImmediate(() => seen(isReady))));
  const options = { host, port: 0, tlsPort: 0, certificate: { cert: '', key: '' } };
  const listening = await listen(server, options, createWallClock(), () => undefined);
  isReady = true;
  expect(await wasReady).toBe(true);
  await listening.close(0, () => undefined);
});
