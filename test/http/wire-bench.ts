/** A bench for the wire: bare servers that answer as a test tells them, and clients that only know bytes. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import type { Fault, Reply } from '../../src/http/reply.ts';
import { send } from '../../src/http/write-response.ts';
import { createWallClock, type WallClock } from '../../src/lib/time.ts';

interface Bench {
  readonly port: number;
  readonly url: string;
  /** Resolves with the next request's socket, once its answer has begun. */
  next(): Promise<Socket>;
  /** The project is reset, or the sandbox stops. */
  end(): void;
  /** How many still wait for that. */
  waiting(): number;
}

/** What a bare server answers, told when its project ends. */
export type ReplyTo = (onEnd: Fault['onEnd'], request: IncomingMessage) => Reply | Promise<Reply>;

/** Bare servers that answer as told, and are closed after each test. */
export function useBenches(): (replyTo: ReplyTo, wall?: WallClock) => Promise<Bench> {
  const servers: Server[] = [];

  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });

  return async (replyTo, wall = createWallClock()) => {
    const ends = new Set<() => void>();
    const onEnd: Fault['onEnd'] = (end) => {
      ends.add(end);
      return () => ends.delete(end);
    };
    const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
      void send(response, await replyTo(onEnd, request), wall);
      server.emit('answered', request.socket);
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return {
      port,
      url: `http://127.0.0.1:${port}/`,
      next: () => once(server, 'answered').then(([socket]) => socket as Socket),
      end: () => {
        for (const end of ends) end();
      },
      waiting: () => ends.size,
    };
  };
}

/** A client that only knows bytes. */
interface RawClient {
  readonly client: Socket;
  /** What came, and how it ended. */
  readonly seen: Seen;
  readonly closed: Promise<Seen>;
}

interface Seen {
  bytes: Buffer;
  error: string | undefined;
  ended: boolean;
}

/** Sends so many requests at once. */
export function rawClient(port: number, requests = 1): RawClient {
  const client = connect(port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n'.repeat(requests));
  const seen: Seen = { bytes: Buffer.alloc(0), error: undefined, ended: false };
  client.on('data', (chunk) => {
    seen.bytes = Buffer.concat([seen.bytes, chunk]);
  });
  client.on('error', (error: NodeJS.ErrnoException) => {
    seen.error = error.code;
  });
  client.on('end', () => {
    seen.ended = true;
  });
  const closed = new Promise<Seen>((done) => client.once('close', () => done(seen)));
  return { client, seen, closed };
}

/** Resolves when the connection is closed; by an error is as good as any way. */
export function gone(socket: Socket): Promise<void> {
  return socket.closed ? Promise.resolve() : new Promise((done) => socket.once('close', () => done()));
}

/** What follows the head. */
export function bodyOf(answer: Buffer): Buffer {
  return answer.subarray(answer.indexOf('\r\n\r\n') + 4);
}

/** Resolves when so many bytes have come after the head. */
export async function bodyBytes({ client, seen }: RawClient, count: number): Promise<void> {
  while (seen.bytes.indexOf('\r\n\r\n') < 0 || bodyOf(seen.bytes).length < count) await once(client, 'data');
}
