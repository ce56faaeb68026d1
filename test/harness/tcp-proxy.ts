/** A TCP proxy in front of a server, which can cut all connections while the server keeps running. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

export interface TcpProxy {
  readonly url: () => string;
  /** Closes all connections, and later ones immediately. */
  close(): void;
  /** Accepts connections again. */
  open(): void;
}

/** Starts a proxy for one test file. Calls `target` for the server's URL at each connection. */
export function useTcpProxy(target: () => string): TcpProxy {
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((incoming) => {
    if (!isOpen) return void incoming.destroy();
    const outgoing = connect(Number(new URL(target()).port), '127.0.0.1');
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    incoming.pipe(outgoing).pipe(incoming);
  });

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  return {
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      isOpen = false;
      for (const socket of sockets) socket.destroy();
    },
    open: () => {
      isOpen = true;
    },
  };
}
