/** Receives callbacks on a free port, and responds with bytes that the test chooses. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';

export interface RawServer {
  readonly url: () => string;
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
}

/** Starts a receiver for all tests of a file, which answers each connection whose request has begun, with the path that it names. */
export function useRawServer(answer: (socket: Socket, path: string) => void): RawServer {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.once('data', (chunk) => answer(socket, decodeURIComponent(/^\S+ \/(\S*)/.exec(String(chunk))?.[1] ?? '')));
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

export interface RawReceiver {
  readonly url: () => string;
  /** Sets what happens to each connection whose request has begun. */
  answer(answer: (socket: Socket) => void): void;
  /** Returns the number of bytes that the connections of this test took. */
  written(): number;
  /** Resolves when no connection of this test is open. */
  closed(): Promise<void>;
}

/** Writes a text again and again, as fast as the other side reads it, until the connection ends. */
export function pour(socket: Socket, text: string): void {
  const piece = Buffer.from(text.repeat(Math.ceil(16_384 / text.length)), 'latin1');
  const more = (): void => {
    while (socket.write(piece));
  };
  socket.on('drain', more);
  more();
}

/** Each test starts with a 204 as the response. */
export function useRawReceiver(): RawReceiver {
  let sockets: Socket[] = [];
  let answer: (socket: Socket) => void;
  const { url } = useRawServer((socket) => {
    sockets.push(socket);
    answer(socket);
  });
  beforeEach(() => {
    sockets = [];
    answer = (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n');
  });
  return {
    url,
    answer: (one) => {
      answer = one;
    },
    written: () => sockets.reduce((total, { bytesWritten }) => total + bytesWritten, 0),
    closed: async () => {
      for (const socket of sockets) if (!socket.closed) await once(socket, 'close');
    },
  };
}
