/** A port that refuses connections: a client's end of a connection has it, so that nobody can listen there. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

/** Reserves a port for one test file. Returns the URL at which connections are refused, without a trailing slash. */
export function useRefusedPort(): () => string {
  const server = createServer();
  let client: Socket;

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(client, 'connect');
  });
  afterAll(async () => {
    client.destroy();
    server.close();
    await once(server, 'close');
  });

  return () => `http://127.0.0.1:${client.localPort}`;
}
