/** Receives callbacks on a free port, and responds with bytes that the test chooses. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';

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

/** Starts a receiver for all tests of a file. Each test starts with a 204 as the response. */
export function useRawReceiver(): RawReceiver {
  let sockets: Socket[] = [];
  let answer: (socket: Socket) => void;
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).once('data', () => answer(socket));
  });

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    sockets = [];
    answer = (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n');
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  return {
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (one) => {
      answer = one;
    },
    written: () => sockets.reduce((total, { bytesWritten }) => total + bytesWritten, 0),
    closed: async () => {
      for (const socket of sockets) if (!socket.closed) await once(socket, 'close');
    },
  };
}
