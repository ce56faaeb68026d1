/** Reads, checks and parses a request's body within limits; returns problems instead of throwing. */
import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import type { Problem, Violation } from '../lib/problem.ts';
import type { BodyBudget } from '../usage/shares.ts';
import { findAmbiguities, locateMistake } from './json-mistakes.ts';

/** A body's text, or a problem: it was rejected unread, is incomplete, or is not text. */
export type RawBody = { readonly text: string } | { readonly problem: Problem };

/** Reads the text of a body with one of these media types. An empty body needs no type. `key`: the id of its API key. */
export type BodyReader = (request: IncomingMessage, types: readonly string[], key?: string) => Promise<RawBody>;

/** Tells the client how to change the limit of body sizes. */
const profileRemedy = 'Send a smaller body, or raise limits.body in the profile';

/**
 * Creates a reader of bodies up to `ownLimit` bytes, or up to the total budget if that is smaller; `ownRemedy` tells
 * the client how to change `ownLimit`.
 */
export function createBodyReader(ownLimit: number, budget: BodyBudget, ownRemedy: string = profileRemedy): BodyReader {
  // A body larger than the whole budget never fits, even if the client retries.
  const limit = Math.min(ownLimit, Math.floor(budget.max));
  const remedy =
    limit < ownLimit ? 'This limit is an eighth of --memory: send a smaller body, or raise --memory' : ownRemedy;

  return async (request, types, key) => {
    const length = Number(request.headers['content-length'] ?? 0);
    if (length > limit) return { problem: tooLarge(limit, remedy, length) };
    const hasBody = length > 0 || request.headers['transfer-encoding'] !== undefined;
    const refused = checkContentType(request, types, hasBody);
    if (refused) return { problem: refused };
    if (!hasBody) return { text: '' };
    const coding = codingOf(request) as Coding | undefined;
    const compressed = coding && { coding, decompressor: await createDecompressor(coding) };
    return collect(request, compressed, { limit, remedy, key }, budget);
  };
}

const incomplete: Problem = {
  kind: 'invalid',
  message: 'the body is incomplete: the connection closed before its end',
};

/** Collects the chunks of a request, or of the stream that decompresses it. */
function collect(
  request: IncomingMessage,
  compressed: { readonly coding: Coding; readonly decompressor: Transform } | undefined,
  { limit, remedy, key }: { readonly limit: number; readonly remedy: string; readonly key: string | undefined },
  budget: BodyBudget,
): Promise<RawBody> {
  // The client may have disconnected while a project or a module was loaded. Then there are no events any more.
  if (request.destroyed) return Promise.resolve({ problem: incomplete });
  const source: Readable = compressed ? request.pipe(compressed.decompressor) : request;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const reserved = budget.open(key);
    let size = 0;
    let isSettled = false;
    const settle = (body: RawBody): void => {
      if (!isSettled) reserved.close();
      isSettled = true;
      resolve(body);
    };
    const end = (): void => settle(decode(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    const reject = (problem: Problem): void => {
      chunks.length = 0;
      source.removeAllListeners('data').off('end', end);
      // Stops the decompression at once.
      if (source !== request) source.destroy();
      request.unpipe().resume();
      settle({ problem });
    };
    source.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return reject(tooLarge(limit, remedy, undefined, compressed?.coding));
      if (!reserved.take(chunk.length)) return reject(budget.refusal());
      chunks.push(chunk);
    });
    source.on('end', end);
    request.on('error', () => {
      compressed?.decompressor.destroy();
      settle({ problem: incomplete });
    });
    if (compressed) source.on('error', (error) => reject(toNotCompressed(compressed.coding, error)));
  });
}

/** Decodes UTF-8. Nearly all bodies are ASCII, which is only copied; decoding UTF-8 takes several times as long. */
function decode(bytes: Buffer): RawBody {
  if (isAscii(bytes)) return { text: bytes.toString('latin1') };
  if (isUtf8(bytes)) return { text: bytes.toString() };
  return { problem: { kind: 'invalid', message: 'the body is not valid UTF-8: encode it as UTF-8' } };
}

function toNotCompressed(coding: Coding, { message }: Error): Problem {
  return {
    kind: 'invalid',
    message: `the body is not valid ${coding}, which its content-encoding declares: ${message}`,
  };
}

function tooLarge(limit: number, remedy: string, receivedBytes?: number, coding?: Coding): Problem {
  const decompressed = coding === undefined ? '' : ` after decompression (${coding})`;
  const size = receivedBytes === undefined ? 'more' : receivedBytes.toLocaleString('en');
  const message = `the body must be at most ${limit.toLocaleString('en')} bytes${decompressed}, got ${size}. ${remedy}`;
  return { kind: 'tooLarge', message };
}

function checkContentType(request: IncomingMessage, types: readonly string[], hasBody: boolean): Problem | undefined {
  const contentType = request.headers['content-type'];
  const coding = request.headers['content-encoding'] === undefined ? undefined : codingOf(request);
  // Fast path for the most common header.
  if (contentType === types[0] && coding === undefined) return undefined;
  if (contentType === undefined)
    return hasBody ? unsupported(`expected content-type ${types.join(' or ')}, got none`) : undefined;
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (!types.includes(type))
    return unsupported(`expected content-type ${types.join(' or ')}, got ${JSON.stringify(type.slice(0, 60))}`);
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
    return unsupported(`expected charset utf-8, got ${JSON.stringify(charset.slice(0, 60))}`);
  return coding === 'unknown' ? toUnknownCoding(String(request.headers['content-encoding'])) : undefined;
}

function toUnknownCoding(contentEncoding: string): Problem {
  const message = `expected content-encoding ${acceptedCodings} or none, got ${JSON.stringify(contentEncoding.slice(0, 60))}`;
  const errors = [{ path: 'header:content-encoding', message }];
  return { kind: 'unsupportedType', message, errors, headers: { 'accept-encoding': acceptedCodings } };
}

function unsupported(message: string): Problem {
  return { kind: 'unsupportedType', message, errors: [{ path: 'header:content-type', message }] };
}

/** A parsed body, or the problem. */
export type Parsed =
  | {
      readonly value: unknown;
      /** What another parser may read differently. */
      readonly warnings?: readonly Violation[];
    }
  | { readonly problem: Problem };

/**
 * Parses a body. Returns a promise only if the body is ambiguous or not valid JSON. An empty body is a problem, because it
 * is called only for operations with a body.
 */
export function parseJson(text: string): Parsed | Promise<Parsed> {
  if (text === '') return { problem: { kind: 'invalid', message: 'the body is missing: send JSON' } };
  if (text.startsWith('\ufeff')) {
    return {
      problem: { kind: 'invalid', message: 'the body is not JSON: it begins with a byte order mark; remove it' },
    };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return locateMistake(text).then((problem) => ({ problem }));
  }
  return mayBeAmbiguous(text, value) ? findAmbiguities(text).then((warnings) => ({ value, warnings })) : { value };
}

/**
 * Maximum length of a body in which ambiguities are searched, in characters. In larger ones the search would take a
 * measurable part of the request's time; a client that writes such JSON also writes it in small bodies.
 */
const maxChecked = 4096;

/**
 * Whether a body may have repeated field names or numbers that parsers cannot keep. Cheap, because every small body is
 * checked.
 */
function mayBeAmbiguous(text: string, value: unknown): boolean {
  return text.length <= maxChecked && countFieldNames(text) !== countFields(value);
}

/** Counts the field names in JSON: each colon after a quote or space. Counts a few too many if a text contains these. */
function countFieldNames(json: string): number {
  let count = 0;
  for (let at = json.indexOf(':'); at >= 0; at = json.indexOf(':', at + 1)) {
    const before = json.charCodeAt(at - 1);
    if (before === quote || before <= space) count += 1;
  }
  return count;
}

/** Counts the fields in a value. Returns `NaN` if it has a number that another parser may read differently. */
function countFields(value: unknown): number {
  if (typeof value === 'number') return isKept(value) ? 0 : Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const entry of value) count += countFields(entry);
  else for (const name in value) count += 1 + countFields(value[name as keyof typeof value]);
  return count;
}

/** Whether it is neither infinite nor so large that it may have lost digits. */
function isKept(number: number): boolean {
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER;
}

/** Content codings of request bodies. */
const codings = ['gzip', 'deflate', 'br'] as const;
type Coding = (typeof codings)[number];

/** Size of the chunks that a separate thread decompresses, in bytes. */
const chunkSize = 64 * 1024;

/** Returns the coding of a request's body, undefined if it has none, or `unknown` for other or several codings. */
function codingOf({ headers }: IncomingMessage): Coding | undefined | 'unknown' {
  const given = headers['content-encoding'];
  if (given === undefined) return undefined;
  const coding = given.trim().toLowerCase();
  if (coding === 'identity') return undefined;
  if (coding === 'x-gzip') return 'gzip';
  return codings.find((one) => one === coding) ?? 'unknown';
}

/** Accepted codings, for the response header (RFC 9110, 15.5.16) and for messages. */
const acceptedCodings: string = codings.join(', ');

/** Creates a stream that decompresses a body. Loads zlib at the first call, because most bodies are not compressed. */
async function createDecompressor(coding: Coding): Promise<Transform> {
  const { createBrotliDecompress: br, createGunzip: gzip, createInflate: deflate } = await import('node:zlib');
  return { br, gzip, deflate }[coding]({ chunkSize });
}

export interface ShapeLimits {
  /** Maximum number of values: each field, entry, object and list counts. */
  readonly values: number;
  /** Maximum number of different field names. The parser creates a new string, and often a new shape, for each. */
  readonly names: number;
}

/** Minimum length of a body to check, in characters; smaller ones are parsed quickly, whatever they contain. */
const minChecked = 200_000;

const quote = 34;
const backslash = 92;
const space = 32;

/** What begins a value: each takes at least two characters. */
const valueMarks = [',', '[', '{'] as const;

/** Returns the first limit that is exceeded, if any. Counts invalid JSON as well: the parser rejects it later. */
export function checkShape(text: string, { values, names }: ShapeLimits): Problem | undefined {
  if (text.length < minChecked) return undefined;
  // Most bodies have fewer marks than the limits, even with those inside of texts.
  if (text.length > 2 * values && hasMore(text, valueMarks, values) && countValues(text, values) > values)
    return tooMany('values', 'values', values);
  if (hasMore(text, [':'], names) && countNames(text, names) > names)
    return tooMany('different field names', 'names', names);
  return undefined;
}

/** Whether a text has more than `max` of some characters. Searching for one takes a tenth of reading the text. */
function hasMore(text: string, marks: readonly string[], max: number): boolean {
  let count = 0;
  for (const mark of marks) {
    for (let at = text.indexOf(mark); at >= 0 && count <= max; at = text.indexOf(mark, at + 1)) count += 1;
  }
  return count > max;
}

/** Counts values, up to `max`. */
function countValues(text: string, max: number): number {
  // Bytes are read faster than characters.
  const body = Buffer.from(text);
  const { length } = body;
  const codes = new Set(valueMarks.map((mark) => mark.charCodeAt(0)));
  let count = 0;
  for (let at = 0; at < length && count <= max; at += 1) {
    if (body[at] === quote) at = endOfText(body, at + 1);
    else if (codes.has(body[at] as number)) count += 1;
  }
  return count;
}

/** Returns the index of the closing quote of the text that begins at `from`, or the end of the body. */
function endOfText(body: Buffer, from: number): number {
  const { length } = body;
  let at = from;
  while (at < length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at;
}

/** Number of the latest names that are kept by the last bits of their hashes, so that a frequent name costs no look-up. */
const latestNames = 4096;

/**
 * Counts different names, up to `max`: what is in quotes in front of a colon. Two that are the same except for an escape
 * count twice.
 */
function countNames(text: string, max: number): number {
  const hashes = new Set<number>();
  const latest = new Int32Array(latestNames);
  for (let at = text.indexOf(':'); at >= 0 && hashes.size <= max; at = text.indexOf(':', at + 1)) {
    let end = at - 1;
    while (text.charCodeAt(end) <= space) end -= 1;
    // A quote after a backslash is inside of a text.
    if (text.charCodeAt(end) !== quote || isEscaped(text, end)) continue;
    let hash = 0;
    for (let from = end - 1; from >= 0; from -= 1) {
      const code = text.charCodeAt(from);
      if (code === quote && !isEscaped(text, from)) break;
      hash = (Math.imul(hash, 31) + code) | 0;
    }
    const place = hash & (latestNames - 1);
    if (latest[place] !== hash) hashes.add(hash);
    latest[place] = hash;
  }
  return hashes.size;
}

/** Whether an odd number of backslashes is in front of a character. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from - 1) === backslash) from -= 1;
  return (at - from) % 2 === 1;
}

function tooMany(what: string, key: keyof ShapeLimits, limit: number): Problem {
  const max = limit.toLocaleString('en');
  const message = `the body must have at most ${max} ${what}, got more. Send fewer, or raise limits.${key} in the profile`;
  return { kind: 'tooLarge', message };
}
