/**
 * A load balancer that gives each request, or each connection, to the next backend. It passes all bytes unchanged: header
 * case, duplicate headers and broken responses arrive as the backend sent them. It has no timeout, and adds nothing.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createRequestScanner } from './request-starts.ts';

export interface RoundRobin {
  readonly url: string;
  /** Ends all connections too. */
  close(): Promise<void>;
}

export interface RoundRobinOptions {
  /** What the backends take turns with; `request` by default. */
  readonly per?: 'request' | 'connection';
}

/** Sent where no backend accepts a connection. */
const noBackend =
  'HTTP/1.1 503 Service Unavailable\r\nx-round-robin: no backend\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

/** Calls `backends` for the current list at each turn. A backend that refuses the connection is skipped. */
export async function startRoundRobin(
  backends: () => readonly URL[],
  { per = 'request' }: RoundRobinOptions = {},
): Promise<RoundRobin> {
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
    void serve(client, connectNext, per).catch((error: unknown) => client.destroy(error as Error));
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

type Connect = () => Promise<Socket | undefined>;

/** Passes everything between a client and its backends, until the client ends its connection. */
async function serve(client: Socket, connectNext: Connect, per: RoundRobinOptions['per']): Promise<void> {
  const scan = createRequestScanner();
  const link = createLink(client);
  try {
    for await (const chunk of client.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      for (const { isStart, bytes } of splitAt(chunk, scan(chunk))) {
        if (isStart && link.mayChange(per)) {
          const next = await connectNext();
          if (next === undefined) return void client.end(noBackend);
          link.attach(next);
        }
        await link.send(bytes, isStart);
      }
    }
    link.backend()?.end();
  } catch {
    // The client has reset its connection.
    link.backend()?.resetAndDestroy();
  }
}

/** Connects a client to one backend at a time. */
function createLink(client: Socket) {
  let backend: Socket | undefined;
  let isAnswered = false;
  return {
    backend: (): Socket | undefined => backend,
    /** A pipelined request goes to the backend of the request before it, whose response has not begun. */
    mayChange: (per: RoundRobinOptions['per']): boolean => backend === undefined || (per === 'request' && isAnswered),
    attach: (next: Socket): void => {
      backend?.unpipe(client).destroy();
      backend = next;
      next.on('data', () => {
        isAnswered = true;
      });
      next.on('end', () => next === backend && client.end());
      next.on('error', () => next === backend && client.resetAndDestroy());
      next.pipe(client, { end: false });
    },
    send: async (bytes: Buffer, isStart: boolean): Promise<void> => {
      if (isStart) isAnswered = false;
      if (backend) await write(backend, bytes);
    },
  };
}

function splitAt(chunk: Buffer, starts: readonly number[]): readonly { isStart: boolean; bytes: Buffer }[] {
  const cuts = [...new Set([0, ...starts, chunk.length])];
  return cuts.slice(0, -1).map((from, index) => ({
    isStart: starts.includes(from),
    bytes: chunk.subarray(from, cuts[index + 1]),
  }));
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
