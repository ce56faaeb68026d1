/** A bench for the wire: bare servers that answer as a test tells them, and clients that only know bytes. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import type { Fault, Reply } from '../../src/http/reply.ts';
import { send } from '../../src/http/write-response.ts';
import { createTestWall, type TestWall } from '../harness/wall.ts';

/** What a bare server answers, told when its project ends. */
export type ReplyTo = (onEnd: Fault['onEnd']) => Reply | Promise<Reply>;

/** A client that only knows bytes. */
interface RawClient {
  readonly client: Socket;
  ask(): void;
  /** What came so far. */
  bytes(): Buffer;
  /** Resolves with all that came. */
  readonly closed: Promise<Buffer>;
}

/** A bare server with a client that has sent its requests. */
interface Bench {
  readonly wall: TestWall;
  readonly raw: RawClient;
  /** The server's end of the connection, once an answer has begun. */
  readonly socket: Socket;
  /** Resolves when that is closed; by an error is as good as any way. */
  readonly gone: Promise<unknown>;
  /** Resolves with the next request's socket, once its answer has begun. */
  next(): Promise<Socket>;
  /** The project is reset, or the sandbox stops. */
  end(): void;
  /** How many still wait for that. */
  waiting(): number;
}

function createRawClient(port: number): RawClient {
  const client = connect(port, '127.0.0.1').on('error', () => undefined);
  const chunks: Buffer[] = [];
  client.on('data', (chunk) => chunks.push(chunk));
  const bytes = () => Buffer.concat(chunks);
  return {
    client,
    ask: () => client.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n'),
    bytes,
    closed: new Promise((done) => client.once('close', () => done(bytes()))),
  };
}

/** Bare servers that answer as told a client that sends so many requests at once. Both end after each test. */
export function useBenches(): (
  replyTo: ReplyTo,
  requests?: number,
  how?: { readonly isPaused: boolean },
) => Promise<Bench> {
  const open: { readonly server: Server; readonly raw: RawClient }[] = [];

  afterEach(() => {
    for (const { server, raw } of open.splice(0)) {
      raw.client.destroy();
      server.close();
      server.closeAllConnections();
    }
  });

  return async (replyTo, requests = 1, { isPaused } = { isPaused: false }) => {
    const wall = createTestWall();
    const ends = new Set<() => void>();
    const onEnd: Fault['onEnd'] = (end) => {
      ends.add(end);
      return () => ends.delete(end);
    };
    const server = createServer(async (request, response) => {
      void send(response, await replyTo(onEnd), wall);
      server.emit('answered', request.socket);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const raw = createRawClient((server.address() as AddressInfo).port);
    open.push({ server, raw });
    if (isPaused) raw.client.pause();
    const next = () => once(server, 'answered').then(([socket]) => socket as Socket);
    const answered = next();
    for (let count = 0; count < requests; count += 1) raw.ask();
    const socket = await answered;
    return {
      wall,
      raw,
      socket,
      gone: new Promise((done) => socket.once('close', done)),
      next,
      end: () => {
        for (const end of ends) end();
      },
      waiting: () => ends.size,
    };
  };
}

/** Answers the first request when it is released, and all others as told. */
export function holdFirst(first: Reply, others: ReplyTo): { readonly replyTo: ReplyTo; release(): void } {
  let release = (): void => undefined;
  const held = new Promise<Reply>((done) => {
    release = () => done(first);
  });
  const replies: ReplyTo[] = [() => held];
  return { replyTo: (onEnd) => (replies.shift() ?? others)(onEnd), release: () => release() };
}

/** What follows the head. */
export function bodyOf(answer: Buffer): Buffer {
  return answer.subarray(answer.indexOf('\r\n\r\n') + 4);
}

/** Resolves when so many bytes have come after the head. */
export async function bodyBytes({ client, bytes }: RawClient, count: number): Promise<void> {
  while (bytes().indexOf('\r\n\r\n') < 0 || bodyOf(bytes()).length < count) await once(client, 'data');
}
