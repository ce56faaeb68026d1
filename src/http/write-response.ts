/** Sends responses: whole, as a stream or in pieces, or broken by a scenario. Only files of the console have another way. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WallClock } from '../lib/time.ts';
import { nextTurn } from '../lib/timers.ts';
import type { Fault, Reply, Stream } from './reply.ts';

/** Delay before each byte of a `drip` fault, in milliseconds. */
export const dripMs = 50;

/** Maximum unsent data of a stream, in bytes, and how long it may be exceeded, in milliseconds. */
const maxUnread = 1024 ** 2;
const unreadGraceMs = 1000;

/** Maximum unsent data of a stream at any time, in bytes: many events at once may exceed `maxUnread` for a moment. */
const maxAtOnce = 32 * 1024 ** 2;

/** Time to deliver the end of a stream, in milliseconds; a reader that keeps up receives it at once. */
const streamEndMs = 100;

/** Size up to which the system buffers a response, in bytes, and timeout for a client that reads none of the rest. */
const maxBuffered = 16 * 1024;
const unreadMs = 30_000;

/** Minimum rate at which a client must read a large response, in bytes per millisecond. */
const minReadRate = 16;

/** Sends a response. For one in pieces, returns a promise, which rejects if a piece can't be created. */
export function send(response: ServerResponse, reply: Reply, wall: WallClock): Promise<void> | undefined {
  if (reply.pieces) return sendPieces(response, reply, reply.pieces, wall);
  if (response.destroyed || response.req.socket.destroyed) {
    // Another server may hold a connection for it.
    reply.fault?.onEnd(() => undefined)();
    return undefined;
  }
  if (reply.fault) sendBroken(response, reply, reply.fault, wall);
  else if (reply.stream) sendStream(response, reply, reply.stream, wall);
  else sendWhole(response, reply, wall);
  return undefined;
}

function sendWhole(
  response: ServerResponse,
  { status, headers, body: text, compressed }: Reply,
  wall: WallClock,
): void {
  const body = compressed ?? text;
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const bytes = Buffer.byteLength(body);
  // Node writes a list of headers directly, but copies an object.
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name] as string);
  list.push('content-length', String(bytes));
  // Node encodes a head like the text after it, but a head is Latin-1.
  response.writeHead(status, list);
  endAfterBody(response, bytes === body.length ? body : Buffer.from(body));
  disconnectIdleReader(response, bytes, wall);
}

/**
 * Ends a response. If its connection is closed then, the rest of the request is read before: a client that still sends its
 * body may lose a response that the end of the connection follows (RFC 9112, 9.6).
 */
function endAfterBody(response: ServerResponse, body: string | Buffer): void {
  const { req } = response;
  if (response.shouldKeepAlive || req.complete || req.headers['expect'] !== undefined) {
    response.end(body, 'latin1');
    return;
  }
  response.write(body, 'latin1');
  req.once('end', () => response.end()).resume();
}

/** Disconnects a client that reads a large response too slowly, or stalls: it stays in memory until then. */
export function disconnectIdleReader(response: ServerResponse, bytes: number, wall: WallClock): void {
  if (bytes <= maxBuffered) return;
  const { socket } = response.req;
  // The timeout starts after earlier responses on the connection, which have their own.
  afterEarlierResponses(response, () =>
    onceFinished(
      response,
      wall.after(unreadMs + bytes / minReadRate, () => socket.destroy()),
    ),
  );
  disconnectStalledReader(response);
}

/** Disconnects a client that reads nothing of a response for half a minute. */
function disconnectStalledReader(response: ServerResponse): void {
  const { socket } = response.req;
  response.setTimeout(unreadMs, () => socket.destroy());
  response.once('finish', () => {
    // Node sets its own timeout for the next request by now, unless that request has already arrived.
    if (socket.timeout === unreadMs) socket.setTimeout(0);
  });
}

/** Creates and writes one piece after another, each after the client has read the previous ones. */
async function sendPieces(
  response: ServerResponse,
  { status, headers }: Reply,
  pieces: NonNullable<Reply['pieces']>,
  wall: WallClock,
): Promise<void> {
  response.writeHead(status, headers);
  const isHead = response.req.method === 'HEAD';
  if (!isHead) disconnectStalledReader(response);
  // Also without a reader: pieces that come from another server hold a connection until the loop has left them.
  for await (const piece of pieces) {
    if (isHead) break;
    if (response.req.socket.destroyed) return;
    if (!response.write(piece)) await drain(response, wall);
    await nextTurn();
  }
  response.end();
}

/** Waits until the client has read the written data or disconnected; disconnects it after half a minute. */
function drain(response: ServerResponse, wall: WallClock): Promise<void> {
  const { socket } = response.req;
  return new Promise((resolve) => {
    let cancel = (): void => undefined;
    const limit = (): void => {
      cancel = wall.after(unreadMs, () => socket.destroy());
    };
    const settle = (): void => {
      cancel();
      response.off('drain', settle);
      response.off('socket', limit);
      socket.off('close', settle);
      resolve();
    };
    response.once('drain', settle);
    socket.once('close', settle);
    // The timeout starts after earlier responses on the connection, which have their own.
    if (response.socket) limit();
    else response.once('socket', limit);
  });
}

/** Breaks the connection with a fault; closes it earlier if the fault's `onEnd` fires. */
function sendBroken(response: ServerResponse, reply: Reply, { kind, onEnd }: Fault, wall: WallClock): void {
  const { socket } = response.req;
  let stopDripping: (() => void) | undefined;
  const unsubscribe = onEnd(() => socket.destroy());
  onceFinished(response, () => {
    stopDripping?.();
    unsubscribe();
  });
  switch (kind) {
    case 'reset':
      afterEarlierResponses(response, () => socket.resetAndDestroy());
      return;
    case 'close':
      afterEarlierResponses(response, () => socket.destroySoon());
      return;
    case 'hang':
      return;
    case 'truncate': {
      const body = writeHead(response, reply);
      response.write(body.subarray(0, body.length >> 1), () => socket.destroySoon());
      return;
    }
    case 'drip':
      stopDripping = drip(response, writeHead(response, reply), wall);
      return;
    default:
      kind satisfies never;
  }
}

/** Calls `run` after the earlier responses on the connection were sent, so that a fault does not break them. */
function afterEarlierResponses(response: ServerResponse, run: () => void): void {
  if (response.socket) run();
  else response.once('socket', run);
}

/** Sends the head of the whole response. Returns the bytes of its body. */
function writeHead(response: ServerResponse, { status, headers, body }: Reply): Buffer {
  const bytes = Buffer.from(body ?? '');
  response.writeHead(status, body === undefined ? headers : { ...headers, 'content-length': bytes.length });
  response.flushHeaders();
  return bytes;
}

/** Writes a body byte by byte, then ends the response. Returns a function that stops this. */
function drip(response: ServerResponse, bytes: Buffer, wall: WallClock): () => void {
  let cancel = (): void => undefined;
  const from = (index: number): void => {
    if (index === bytes.length) {
      response.end();
      return;
    }
    cancel = wall.after(dripMs, () => {
      response.write(bytes.subarray(index, index + 1));
      from(index + 1);
    });
  };
  from(0);
  return () => cancel();
}

function sendStream(response: ServerResponse, { status, headers }: Reply, stream: Stream, wall: WallClock): void {
  const { socket } = response.req;
  response.writeHead(status, headers).flushHeaders();
  let cancelEnd = (): void => undefined;
  let cancelCheck: (() => void) | undefined;
  const unread = (): number => socket.writableLength + response.writableLength;
  const check = (): void => {
    cancelCheck = undefined;
    if (unread() > maxUnread) socket.destroy();
  };
  const stop = stream({
    write: (text) => {
      if (response.writableEnded || socket.destroyed) return;
      response.write(text);
      const waiting = unread();
      if (waiting > maxAtOnce) socket.destroy();
      else if (waiting > maxUnread) cancelCheck ??= wall.after(unreadGraceMs, check);
    },
    end: () => {
      if (response.writableEnded || socket.destroyed) return;
      response.end();
      cancelEnd = wall.after(streamEndMs, () => socket.destroy());
    },
  });
  onceFinished(response, () => {
    cancelEnd();
    cancelCheck?.();
    stop();
  });
}

/** Calls `finished` once the response was sent or the connection was closed, whichever is first. */
function onceFinished(response: ServerResponse, finished: () => void): void {
  const { socket } = response.req;
  const settle = (): void => {
    socket.off('close', settle);
    response.off('finish', settle);
    finished();
  };
  // Not the response's `close` event: a response that waits for another on its connection never emits it.
  socket.once('close', settle);
  response.once('finish', settle);
}

/** Maximum time that a connection stays open after the response to a malformed request, in milliseconds. */
const malformedMs = 5000;

/** Sends the response to a request for which Node creates no request object, and ends the connection. */
export function sendMalformed(socket: Duplex, { status, headers, body = '' }: Reply, wall: WallClock): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Reads further data meanwhile: closing at once would reset the connection before the client receives the response.
  const cancel = wall.after(malformedMs, () => socket.destroy());
  socket.once('close', cancel);
}
