/** Finds a free port for a program that can't choose one itself. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Returns a port of the loopback address that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('a TCP server has an address with a port');
  return address.port;
}
