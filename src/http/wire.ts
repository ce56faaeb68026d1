/** The wire: the one file that writes to a response, whole, bit by bit, or broken where a scenario wants it so. */
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WallClock } from '../base/time.ts';
import type { Fault, Reply, Stream } from './reply.ts';

/** How long `drip` waits before each byte. */
const dripMs = 50;

/** How much may wait for a reader of a stream that doesn't read, in bytes, and how long more than that may. */
const mostUnread = 1024 ** 2;
const patienceMs = 1000;

/** How much may wait for any reader: what happens in one go, be it much, none can have read yet. */
const mostAtOnce = 32 * 1024 ** 2;

/** How long a stream's last words may take: a reader that keeps up has them at once. */
const lastWordsMs = 100;

/** How much of an answer the system takes in any case, in bytes, and how long who reads none of the rest is waited for. */
const mostTaken = 16 * 1024;
const unreadMs = 30_000;

/** How much of it is to be read in a millisecond beyond that, in bytes: one now and then keeps nothing open. */
const leastRead = 16;

/** Writes an answer, or what is left of it. Nothing else in the project writes to a response. */
export function send(response: ServerResponse, reply: Reply, wall: WallClock): void {
  if (response.destroyed || response.req.socket.destroyed) return;
  if (reply.fault) sendBroken(response, reply, reply.fault, wall);
  else if (reply.stream) sendStream(response, reply, reply.stream, wall);
  else sendWhole(response, reply, wall);
}

function sendWhole(response: ServerResponse, { status, headers, body }: Reply, wall: WallClock): void {
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const bytes = Buffer.byteLength(body);
  // As a list, which is written as it is, where an object would be copied.
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name] as string);
  list.push('content-length', String(bytes));
  response.writeHead(status, list).end(body);
  limitReading(response, bytes, wall);
}

/** Who takes nothing of a large answer for half a minute is cut off, or too little of it: it would be held all the while. */
export function limitReading(response: ServerResponse, bytes: number, wall: WallClock): void {
  if (bytes <= mostTaken) return;
  const { socket } = response.req;
  // Those before it on its connection have a time of their own.
  whenFirst(response, () =>
    whenOver(
      response,
      wall.after(unreadMs + bytes / leastRead, () => socket.destroy()),
    ),
  );
  response.setTimeout(unreadMs, () => socket.destroy());
  response.once('finish', () => {
    // Node has set its own for the next request by now, unless that one has come already.
    if (socket.timeout === unreadMs) socket.setTimeout(0);
  });
}

/** The connection breaks; as long as it stands, it ends at once when the fault says so. */
function sendBroken(response: ServerResponse, reply: Reply, { kind, onEnd }: Fault, wall: WallClock): void {
  const { socket } = response.req;
  let stopDripping: (() => void) | undefined;
  const forget = onEnd(() => socket.destroy());
  whenOver(response, () => {
    stopDripping?.();
    forget();
  });
  switch (kind) {
    case 'reset':
      whenFirst(response, () => socket.resetAndDestroy());
      return;
    case 'close':
      whenFirst(response, () => socket.destroySoon());
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

/** Calls back once the answers before this one on its connection were handed over: they are not to break with it. */
function whenFirst(response: ServerResponse, run: () => void): void {
  if (response.socket) run();
  else response.once('socket', run);
}

/** Sends the head of the whole answer ahead; gives back the bytes that are to follow. */
function writeHead(response: ServerResponse, { status, headers, body }: Reply): Buffer {
  const bytes = Buffer.from(body ?? '');
  response.writeHead(status, body === undefined ? headers : { ...headers, 'content-length': bytes.length });
  response.flushHeaders();
  return bytes;
}

/** Writes byte by byte, then ends the answer; gives back what stops that. */
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
  let cancelLook: (() => void) | undefined;
  const unread = (): number => socket.writableLength + response.writableLength;
  const look = (): void => {
    cancelLook = undefined;
    if (unread() > mostUnread) socket.destroy();
  };
  const leave = stream({
    write: (text) => {
      if (response.writableEnded || socket.destroyed) return;
      response.write(text);
      const waiting = unread();
      if (waiting > mostAtOnce) socket.destroy();
      else if (waiting > mostUnread) cancelLook ??= wall.after(patienceMs, look);
    },
    end: () => {
      if (response.writableEnded || socket.destroyed) return;
      response.end();
      cancelEnd = wall.after(lastWordsMs, () => socket.destroy());
    },
  });
  whenOver(response, () => {
    cancelEnd();
    cancelLook?.();
    leave();
  });
}

/** Calls back once the answer was handed over whole or the connection has gone, whichever is first. */
function whenOver(response: ServerResponse, over: () => void): void {
  const { socket } = response.req;
  const settle = (): void => {
    socket.off('close', settle);
    response.off('finish', settle);
    over();
  };
  // Not the response's own `close`: one that waits behind another on its connection never has it.
  socket.once('close', settle);
  response.once('finish', settle);
}

/** Answers what is no HTTP request, or never became one, of which node makes no request object; ends the connection. */
export function sendUnreadable(socket: Duplex, { code }: NodeJS.ErrnoException): void {
  if (!socket.writable) return;
  const isLate = code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const message = isLate
    ? 'the request did not come whole in time'
    : 'this is no HTTP request, or its head is too large';
  const body = JSON.stringify({ message });
  const head = [
    isLate ? 'HTTP/1.1 408 Request Timeout' : 'HTTP/1.1 400 Bad Request',
    'content-type: application/json',
    `content-length: ${body.length}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
