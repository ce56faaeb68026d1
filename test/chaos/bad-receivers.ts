/** A receiver of callbacks that answers each path in another wrong way, byte by byte, and counts what came. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

type Answer = (socket: Socket) => void;

/** Writes again and again, as long as the other side takes it, until it goes. */
function writeForEver(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.once('close', () => clearInterval(timer));
}

/** As much as the other side takes, at once. */
function pour(socket: Socket, piece: Buffer, bytes: number): void {
  let left = bytes;
  const more = (): void => {
    while (left > 0) {
      left -= piece.length;
      if (!socket.write(piece)) return;
    }
    socket.end();
  };
  socket.on('drain', more);
  more();
}

const head = (status: string, ...headers: readonly string[]): string =>
  `HTTP/1.1 ${[status, ...headers].join('\r\n')}\r\n\r\n`;

const megabyte = 1024 ** 2;

/** By the path that is asked for. */
const answers: Readonly<Record<string, Answer>> = {
  hang: () => undefined,
  reset: (socket) => socket.resetAndDestroy(),
  close: (socket) => socket.end(),
  'half a head': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-'),
  'no HTTP': (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
  'ten megabytes': (socket) => {
    socket.write(head('200 OK', `content-length: ${10 * megabyte}`));
    pour(socket, Buffer.alloc(64 * 1024, 'x'), 10 * megabyte);
  },
  'ten megabytes and a failure': (socket) => {
    socket.write(head('500 Oh', `content-length: ${10 * megabyte}`));
    pour(socket, Buffer.alloc(64 * 1024, 'x'), 10 * megabyte);
  },
  'a slow failure': (socket) => {
    socket.write(head('503 Later', 'transfer-encoding: chunked'));
    writeForEver(socket, '1\r\nx\r\n', 20);
  },
  'endless headers': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    pour(socket, Buffer.from(`x-more: ${'x'.repeat(1000)}\r\n`), 50 * megabyte);
  },
  'slow headers': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    writeForEver(socket, 'x: y\r\n', 20);
  },
  'a redirect': (socket) => socket.end(head('307 Elsewhere', 'location: /trap', 'content-length: 0')),
  'a redirect to itself': (socket) => socket.end(head('308 Here', 'location: #', 'content-length: 0')),
  'many early answers': (socket) => {
    const early = head('103 Early Hints', 'link: </a>');
    socket.write(early.repeat(1000));
    writeForEver(socket, early, 20);
  },
};

export interface BadReceiver {
  urlOf(path: string): string;
  /** Returns the number of requests for a path. */
  received(path: string): number;
  /** Returns the number of open connections. */
  connections(): number;
}

export function useBadReceiver(): BadReceiver {
  const counts = new Map<string, number>();
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    let text = '';
    socket.on('data', (chunk) => {
      const wasWhole = text.includes('\r\n\r\n');
      text += chunk.toString('latin1');
      if (wasWhole || !text.includes('\r\n\r\n')) return;
      const path = decodeURIComponent(/^POST \/(\S*)/.exec(text)?.[1] ?? '');
      counts.set(path, (counts.get(path) ?? 0) + 1);
      answers[path]?.(socket);
    });
  });

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  return {
    urlOf: (path) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${encodeURIComponent(path)}`,
    received: (path) => counts.get(path) ?? 0,
    connections: () => sockets.size,
  };
}
