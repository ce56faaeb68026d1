/**
 * A load balancer that gives each request to the next backend. It passes all bytes unchanged: header case, duplicate headers
 * and broken responses arrive as the backend sent them. It has no timeout, and adds nothing.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface RoundRobin {
  readonly url: string;
  /** Ends all connections too. */
  close(): Promise<void>;
}

/** Sent where no backend accepts a connection. */
const noBackend =
  'HTTP/1.1 503 Service Unavailable\r\nx-round-robin: no backend\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

/** How the bytes of a request begin. A body that goes on after its response has begun does not. */
const requestStart = /^[A-Z]+ \//;

/** Calls `backends` for the current list at each turn. A backend that refuses the connection is skipped. */
export async function startRoundRobin(backends: () => readonly URL[]): Promise<RoundRobin> {
  const clients = new Set<Socket>();
  let turns = 0;

  async function connectNext(): Promise<Socket | undefined> {
    const urls = backends();
    const turn = turns++;
    // Other clients take turns meanwhile.
    for (const [offset] of urls.entries()) {
      const url = urls[(turn + offset) % urls.length];
      const socket = url && (await tryConnect(url));
      if (socket) return socket;
    }
    return undefined;
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    clients.add(client);
    client.on('close', () => clients.delete(client));
    client.on('error', () => undefined);
    void serve(client, connectNext).catch((error: unknown) => client.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has an address with a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      for (const client of clients) client.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Passes everything between a client and one backend at a time, until the client ends its connection. */
async function serve(client: Socket, connectNext: () => Promise<Socket | undefined>): Promise<void> {
  let backend: Socket | undefined;
  /** A pipelined request goes to the backend of the request before it, whose response has not begun. */
  let isAnswered = false;

  function attach(next: Socket): Socket {
    next.on('data', () => {
      isAnswered = true;
    });
    next.on('end', () => next === backend && client.end());
    next.on('error', () => next === backend && client.resetAndDestroy());
    next.pipe(client, { end: false });
    return next;
  }

  try {
    for await (const chunk of client.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (!backend || (isAnswered && requestStart.test(chunk.toString('latin1', 0, 20)))) {
        const next = await connectNext();
        if (next === undefined) return void client.end(noBackend);
        backend?.unpipe(client).destroy();
        backend = attach(next);
        isAnswered = false;
      }
      await write(backend, chunk);
    }
    backend?.end();
  } catch {
    // The client has reset its connection.
    backend?.resetAndDestroy();
  }
}

/** Resolves when the socket takes more. A closed one takes nothing, which its own events report. */
async function write(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.destroyed || socket.write(bytes)) return;
  await new Promise<void>((done) => {
    const settle = (): void => {
      socket.off('drain', settle).off('close', settle);
      done();
    };
    socket.on('drain', settle).on('close', settle);
  });
}

/** Connects to a backend; resolves with undefined if it refuses. */
async function tryConnect(url: URL): Promise<Socket | undefined> {
  const socket = connect({ host: url.hostname, port: Number(url.port), allowHalfOpen: true, noDelay: true });
  try {
    await once(socket, 'connect');
    return socket;
  } catch {
    return undefined;
  }
}
