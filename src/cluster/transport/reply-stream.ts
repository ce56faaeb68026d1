/**
 * Sends a reply from the replica that created it to the one that has the client, and reads it there. Most replies are
 * complete at once; others go on as long as both sides want it.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Fault, Reply, StreamSink } from '../../http/reply.ts';
import { readFrame, toFrame } from './frames.ts';

/** Status codes of a reply that is complete, and of one that goes on. */
export const replyStatus = { complete: 200, goesOn: 206 } as const;

/** The first line of a complete reply. */
interface CompleteHead extends Pick<Reply, 'status' | 'headers'> {
  readonly hasBody: boolean;
}

/** The first line of a reply that goes on. */
interface Head extends Pick<Reply, 'status' | 'headers'> {
  /** Length of the body in bytes; undefined: there is none. */
  readonly length?: number;
  readonly fault?: Fault['kind'];
  /** Whether a stream follows, as long as both sides want it; or a body in pieces. */
  readonly follows?: 'stream' | 'pieces';
}

/** Sends a reply. Resolves when the response has ended. */
export async function sendReply(response: ServerResponse, reply: Reply): Promise<void> {
  const { status, headers, body, fault, stream, pieces } = reply;
  if (!fault && !stream && !pieces) {
    const head: CompleteHead = { status, headers, hasBody: body !== undefined };
    response.end(toFrame(head, body));
    return;
  }
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const follows = stream ? 'stream' : pieces ? 'pieces' : undefined;
  const head: Head = {
    ...{ status, headers },
    ...(bytes && { length: bytes.length }),
    ...(fault && { fault: fault.kind }),
    ...(follows && { follows }),
  };
  response.writeHead(replyStatus.goesOn);
  response.write(`${JSON.stringify(head)}\n`);
  if (bytes) response.write(bytes);
  if (fault) endWith(response, fault);
  else if (stream) startStream(response, stream);
  else if (pieces) await writePieces(response, pieces);
}

/** Keeps the response open until the fault ends. */
function endWith(response: ServerResponse, { onEnd }: Fault): void {
  const unsubscribe = onEnd(() => response.end());
  response.once('close', unsubscribe);
}

/** Maximum unsent data of a stream, in bytes. */
const maxUnread = 64 * 1024 ** 2;

function startStream(response: ServerResponse, stream: NonNullable<Reply['stream']>): void {
  const sink: StreamSink = {
    write: (text) => {
      if (response.writableEnded) return;
      response.write(text);
      // The other side has stopped to read.
      if (response.writableLength > maxUnread) response.destroy();
    },
    end: () => void response.end(),
  };
  const stop = stream(sink);
  if (response.destroyed) stop();
  else response.once('close', stop);
}

async function writePieces(response: ServerResponse, pieces: NonNullable<Reply['pieces']>): Promise<void> {
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}

const newline = 0x0a;

/** Reads a complete reply. @throws Error if the connection breaks before */
export async function readComplete(source: { arrayBuffer(): Promise<ArrayBuffer> }): Promise<Reply> {
  const { head, text } = readFrame(Buffer.from(await source.arrayBuffer()));
  const { status, headers, hasBody } = head as CompleteHead;
  return { status, headers, body: hasBody ? text : undefined };
}

/**
 * Reads a reply that goes on. `drop` ends the connection.
 * @throws Error if it breaks before the head and the body are complete
 */
export async function readOn(source: Readable, drop: () => void): Promise<Reply> {
  const reader = createReader(source);
  const { status, headers, length, fault, follows } = JSON.parse((await reader.line()).toString('utf8')) as Head;
  const body = length === undefined ? undefined : (await reader.bytes(length)).toString('utf8');
  if (follows === 'pieces') return { status, headers, body: undefined, pieces: reader.rest() };
  if (follows === 'stream')
    return { status, headers, body: undefined, stream: (sink) => pass(reader.rest(), sink, drop) };
  // The stream closes, and its connection is free, only when its end is read.
  return { status, headers, body, fault: toFault(fault as Fault['kind'], reader.end(), drop) };
}

function toFault(kind: Fault['kind'], ended: Promise<void>, drop: () => void): Fault {
  return {
    kind,
    onEnd: (end) => {
      let hasLeft = false;
      void ended.then(() => hasLeft || end());
      return () => {
        hasLeft = true;
        drop();
      };
    },
  };
}

function pass(texts: AsyncIterable<Buffer>, sink: StreamSink, drop: () => void): () => void {
  const decoder = new TextDecoder();
  void (async () => {
    try {
      for await (const bytes of texts) sink.write(decoder.decode(bytes, { stream: true }));
    } catch {
      // The other replica has ended, and so does the stream.
    }
    sink.end();
  })();
  return drop;
}

interface Reader {
  line(): Promise<Buffer>;
  bytes(length: number): Promise<Buffer>;
  rest(): AsyncIterable<Buffer>;
  /** Resolves at the end of what follows, or when the connection breaks. */
  end(): Promise<void>;
}

function createReader(source: Readable): Reader {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let buffer: Buffer = Buffer.alloc(0);

  async function more(): Promise<void> {
    const { value, done } = await chunks.next();
    if (done) throw new Error('the connection closed before the end of the reply');
    buffer = buffer.length === 0 ? value : Buffer.concat([buffer, value]);
  }

  function take(length: number): Buffer {
    const taken = buffer.subarray(0, length);
    buffer = buffer.subarray(length);
    return taken;
  }

  async function bytes(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = length;
    while (missing > 0) {
      if (buffer.length === 0) await more();
      const part = take(Math.min(missing, buffer.length));
      parts.push(part);
      missing -= part.length;
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  async function* rest(): AsyncGenerator<Buffer> {
    if (buffer.length > 0) yield take(buffer.length);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }

  return {
    line: async () => {
      while (!buffer.includes(newline)) await more();
      return take(buffer.indexOf(newline) + 1);
    },
    bytes,
    rest,
    end: async () => {
      try {
        for await (const _ of rest());
      } catch {
        // The other replica has ended.
      }
    },
  };
}
