/**
 * What replicas send each other. A request is one line of JSON, then a text of any length. A reply is the body of a response,
 * whose header has the rest. Most replies are complete at once; others go on as long as both sides want it.
 */
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Fault, Reply, Stream } from '../../http/reply.ts';

export interface Frame {
  readonly head: unknown;
  readonly text: string;
}

const newline = 0x0a;

export function toFrame(head: unknown, text = ''): string {
  return `${JSON.stringify(head)}\n${text}`;
}

/** @throws SyntaxError if the first line is not JSON */
export function readFrame(bytes: Buffer): Frame {
  const end = bytes.indexOf(newline);
  return { head: JSON.parse(bytes.toString('utf8', 0, end)), text: bytes.toString('utf8', end + 1) };
}

/** The header that makes a response a reply. */
export const replyHeader = 'x-sandbox-reply';

/** A reply without its body. */
interface Head extends Pick<Reply, 'status' | 'headers'> {
  readonly content: 'none' | 'body' | 'pieces' | 'stream';
  /** A fault that follows a body of this length in bytes. */
  readonly fault?: { readonly kind: Fault['kind']; readonly length: number };
}

function toHead({ status, headers, body, fault, stream, pieces }: Reply): string {
  const content = stream ? 'stream' : pieces ? 'pieces' : body === undefined ? 'none' : 'body';
  const head: Head = {
    ...{ status, headers, content },
    ...(fault && { fault: { kind: fault.kind, length: Buffer.byteLength(body ?? '') } }),
  };
  const toEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(head).replace(/[^ -~]/g, toEscape);
}

/** Sends a reply. Resolves when all of it is written. */
export async function sendReply(response: ServerResponse, reply: Reply): Promise<void> {
  const { body, fault, stream, pieces } = reply;
  response.writeHead(200, { [replyHeader]: toHead(reply) });
  if (pieces) return pipeline(pieces, response).catch(ignoreLeaving);
  if (stream) return startStream(response, stream);
  if (!fault) return void response.end(body);
  response.flushHeaders();
  if (body) response.write(body);
  // The response stays open until the fault ends.
  response.once(
    'close',
    fault.onEnd(() => response.end()),
  );
}

/** Maximum unsent data of a stream, in bytes. */
const maxUnread = 64 * 1024 ** 2;

function startStream(response: ServerResponse, stream: Stream): void {
  response.flushHeaders();
  const stop = stream({
    write: (text) => {
      if (response.writableEnded) return;
      response.write(text);
      // The other side has stopped to read.
      if (response.writableLength > maxUnread) response.destroy();
    },
    end: () => void response.end(),
  });
  if (response.destroyed) stop();
  else response.once('close', stop);
}

/** Ignores that the other side has left. @throws other errors */
function ignoreLeaving(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}

/**
 * Reads a reply. `head`: the header of the response.
 * @throws Error if the connection breaks before the body is complete, or before a fault or a stream begins
 */
export async function readReply(source: Readable, head: string): Promise<Reply> {
  const { status, headers, content, fault } = JSON.parse(head) as Head;
  const reply = { status, headers, body: undefined };
  if (content === 'pieces') return { ...reply, pieces: source };
  if (content === 'stream') return { ...reply, stream: (sink) => pass(source, sink) };
  if (!fault) return { ...reply, ...(content === 'body' && { body: (await buffer(source)).toString('utf8') }) };
  const body = await readStart(source, fault.length);
  return { ...reply, ...(content === 'body' && { body }), fault: toFault(fault.kind, source) };
}

const pass: (source: Readable, ...sink: Parameters<Stream>) => () => void = (source, { write, end }) => {
  source.setEncoding('utf8').on('data', write).once('close', end);
  return () => void source.destroy();
};

/** Reads a text of this length in bytes, after which the source stays open. */
async function readStart(source: Readable, length: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const reading = length > 0 ? source.iterator({ destroyOnReturn: false }) : [];
  for await (const chunk of reading) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= length) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Creates the fault that ends when the source does. */
function toFault(kind: Fault['kind'], source: Readable): Fault {
  const ended = new Promise<void>((resolve) => source.resume().once('close', resolve));
  return {
    kind,
    onEnd: (end) => {
      let hasLeft = false;
      void ended.then(() => hasLeft || end());
      return () => {
        hasLeft = true;
        source.destroy();
      };
    },
  };
}
