/** Reads a request's body and makes JSON of it, within limits; says what is wrong in place of throwing. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Problem } from '../base/problem.ts';

export interface BodyLimits {
  readonly bytes: number;
  /** Levels of objects and lists in each other. */
  readonly depth: number;
}

/** A body as it came. `problem` where it was refused unread or cut short. */
export type RawBody = { readonly bytes: Buffer } | { readonly problem: Problem };

const empty = Buffer.alloc(0);

/** The bytes of a body of one of these media types. An empty body needs no type. */
export async function readBody(request: IncomingMessage, types: readonly string[], limit: number): Promise<RawBody> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > limit) return { problem: tooLarge(limit, length) };
  const hasBody = length > 0 || request.headers['transfer-encoding'] !== undefined;
  const refused = checkType(request, types, hasBody);
  if (refused) return { problem: refused };
  if (!hasBody) return { bytes: empty };
  return collect(request, limit);
}

function collect(request: IncomingMessage, limit: number): Promise<RawBody> {
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
    request.on('end', () => {
      // A small chunk is a slice of the socket's buffer: what is kept must be a copy.
      resolve({ bytes: chunks.length === 1 && size > 32_768 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size) });
    });
    const leave = (): void =>
      resolve({ problem: { kind: 'invalid', message: 'the body ended before it was complete' } });
    request.on('error', leave);
    request.on('aborted', leave);
  });
}

function tooLarge(limit: number, came?: number): Problem {
  const size = came === undefined ? 'it is larger' : `it has ${came.toLocaleString('en')} bytes`;
  return { kind: 'tooLarge', message: `a body may have ${limit.toLocaleString('en')} bytes; ${size}` };
}

function checkType(request: IncomingMessage, types: readonly string[], hasBody: boolean): Problem | undefined {
  const given = request.headers['content-type'];
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
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return unsupported('expected no content-encoding');
  return undefined;
}

function unsupported(message: string): Problem {
  return { kind: 'unsupportedType', message, errors: [{ path: 'header:content-type', message }] };
}

/** A body's value, or what keeps it from having one. An empty body is missing: the operation has one. */
export async function parseJson(bytes: Buffer, depth: number): Promise<{ value: unknown } | { problem: Problem }> {
  if (bytes.length === 0) return { problem: { kind: 'invalid', message: 'the body is missing: send JSON' } };
  if (!isUtf8(bytes)) return { problem: { kind: 'invalid', message: 'the body is not JSON: it is not valid UTF-8' } };
  const text = bytes.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: await locateMistake(text) };
  }
  if (isDeeperThan(value, depth)) {
    const message = `objects and lists may stand ${depth} levels deep in each other; this body goes deeper`;
    return { problem: { kind: 'invalid', message } };
  }
  return { value };
}

/** V8's own words quote the body and differ between versions; only where the mistake stands is of use. */
async function locateMistake(text: string): Promise<Problem> {
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const found: { error: number; offset: number }[] = [];
  parse(text.slice(0, 1_000_000), found as never, { disallowComments: true });
  const [first] = found;
  if (!first) return { kind: 'invalid', message: 'the body is not JSON' };
  const lines = text.slice(0, first.offset).split('\n');
  const at = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
  const what = printParseErrorCode(first.error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return { kind: 'invalid', message: `the body is not JSON: ${what} at ${at}` };
}

/** Looks into objects only as deep as is allowed, so a hostile body can't make it overflow. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(item, levels - 1)) return true;
    return false;
  }
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === 'object' && isDeeperThan(inner, levels - 1)) return true;
  }
  return false;
}
