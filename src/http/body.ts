/** Reads a request's body and makes JSON of it, within limits; says what is wrong in place of throwing. */
import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Problem } from '../base/problem.ts';

/** A body's text, and the room that it takes in bytes. `problem` where it was refused unread, cut short, or is no text. */
export type RawBody = { readonly text: string; readonly size: number } | { readonly problem: Problem };

/** Reads the text of a body of one of these media types. An empty body needs no type. */
export type BodyReader = (request: IncomingMessage, types: readonly string[]) => Promise<RawBody>;

/**
 * A reader of bodies up to `limit` bytes. The chunks of a large body are put together in one buffer that all requests
 * share (that is done in one go), since asking the system for fresh megabytes at each request costs as much as parsing.
 */
export function createBodyReader(limit: number): BodyReader {
  let shared = Buffer.alloc(0);

  function join(chunks: readonly Buffer[], size: number): Buffer {
    if (chunks.length === 1) return chunks[0] as Buffer;
    if (shared.length < size) shared = Buffer.allocUnsafeSlow(Math.min(limit, size * 2));
    let at = 0;
    for (const chunk of chunks) at += chunk.copy(shared, at);
    return shared.subarray(0, size);
  }

  return (request, types) => {
    const length = Number(request.headers['content-length'] ?? 0);
    if (length > limit) return Promise.resolve({ problem: tooLarge(limit, length) });
    const hasBody = length > 0 || request.headers['transfer-encoding'] !== undefined;
    const refused = checkType(request, types, hasBody);
    if (refused) return Promise.resolve({ problem: refused });
    return hasBody ? collect(request, limit, join) : Promise.resolve(toRawBody(''));
  };
}

function collect(
  request: IncomingMessage,
  limit: number,
  join: (chunks: readonly Buffer[], size: number) => Buffer,
): Promise<RawBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        chunks.length = 0;
        request.removeAllListeners('data').resume();
        resolve({ problem: tooLarge(limit) });
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(decode(join(chunks, size))));
    request.on('error', () =>
      resolve({ problem: { kind: 'invalid', message: 'the body ended before it was complete' } }),
    );
  });
}

/** A body that is at hand already. */
export function toRawBody(text: string): Extract<RawBody, { text: string }> {
  return { text, size: Buffer.byteLength(text) };
}

/** Nearly all bodies are ASCII, which is copied as it is; decoding UTF-8 takes several times as long. */
function decode(bytes: Buffer): RawBody {
  if (isAscii(bytes)) return { text: bytes.toString('latin1'), size: bytes.length };
  if (isUtf8(bytes)) return toRawBody(bytes.toString());
  return { problem: { kind: 'invalid', message: 'the body is not valid UTF-8' } };
}

function tooLarge(limit: number, came?: number): Problem {
  const size = came === undefined ? 'it is larger' : `it has ${came.toLocaleString('en')} bytes`;
  return { kind: 'tooLarge', message: `a body may have ${limit.toLocaleString('en')} bytes; ${size}` };
}

function checkType(request: IncomingMessage, types: readonly string[], hasBody: boolean): Problem | undefined {
  const given = request.headers['content-type'];
  const encoding = request.headers['content-encoding'];
  // As nearly everybody sends it.
  if (given === types[0] && encoding === undefined) return undefined;
  if (given === undefined)
    return hasBody ? unsupported(`expected content-type ${types.join(' or ')}, got none`) : undefined;
  const [type = '', ...parameters] = given
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (!types.includes(type))
    return unsupported(`expected content-type ${types.join(' or ')}, got ${JSON.stringify(type.slice(0, 60))}`);
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') return unsupported('expected charset utf-8');
  if (encoding !== undefined && encoding !== 'identity') return unsupported('expected no content-encoding');
  return undefined;
}

function unsupported(message: string): Problem {
  return { kind: 'unsupportedType', message, errors: [{ path: 'header:content-type', message }] };
}

/** A body's value, or what keeps it from having one. */
export type Parsed = { readonly value: unknown } | { readonly problem: Problem };

/** Reads a body's value; waits only where there is a mistake to look for. An empty body is missing: the operation has one. */
export function parseJson(text: string): Parsed | Promise<Parsed> {
  if (text === '') return { problem: { kind: 'invalid', message: 'the body is missing: send JSON' } };
  if (text.startsWith('\ufeff')) {
    return { problem: { kind: 'invalid', message: 'the body is not JSON: it begins with a byte order mark' } };
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    return locateMistake(text).then((problem) => ({ problem }));
  }
}

/** How much of a body is searched for its mistake. */
const mostSearched = 1_000_000;

/** V8's own words quote the body and differ between versions; only where the mistake stands is of use. */
async function locateMistake(text: string): Promise<Problem> {
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const searched = text.slice(0, mostSearched);
  const found: { error: number; offset: number; length: number }[] = [];
  try {
    parse(searched, found as never, { disallowComments: true });
  } catch (error) {
    // It goes down by calling itself, and so can't follow what stands some thousand levels deep.
    if (!(error instanceof RangeError)) throw error;
  }
  const [first] = found;
  // A mistake at the end of what was searched may be that end itself.
  if (!first || (searched.length < text.length && first.offset + first.length >= searched.length)) {
    return { kind: 'invalid', message: 'the body is not JSON' };
  }
  const lines = text.slice(0, first.offset).split('\n');
  const at = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
  const what = printParseErrorCode(first.error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return { kind: 'invalid', message: `the body is not JSON: ${what} at ${at}` };
}
