/** Compresses responses of the control API and the console's files for clients that accept a coding. */
import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { Reply } from './reply.ts';

const codings = ['br', 'gzip'] as const;
type Coding = (typeof codings)[number];

/** Minimum size to compress, in bytes: shorter responses fit into one or two packets anyway. */
const minBytes = 1024;

const chunkSize = 64 * 1024;

// A response is compressed fast, because each is for one client only; a file small, because it is compressed only once.
const fast = 1;
const small = 9;

const toBrotliOptions = (level: number) => ({ chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: level } });

/** Compresses in a separate thread. */
function compress(bytes: string | Buffer, coding: Coding, level: number): Promise<Buffer> {
  return coding === 'br'
    ? promisify(brotliCompress)(bytes, toBrotliOptions(level))
    : promisify(gzip)(bytes, { chunkSize, level });
}

/** Returns the preferred coding of an `accept-encoding` header, or undefined if it names neither (RFC 9110, 12.5.3). */
export function chooseCoding(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined;
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((one) => one.trim());
    const weight = parameters.find((one) => one.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = codings.filter((coding) => weightOf(coding) > 0).toSorted((a, b) => weightOf(b) - weightOf(a));
  return best;
}

/** Compresses a response if that saves enough. Does not compress streams, which must not be buffered. */
export async function compressReply(reply: Reply, accepted: string | undefined): Promise<Reply> {
  const { body, pieces } = reply;
  if (!pieces && (body === undefined || body.length < minBytes)) return reply;
  const headers = { ...reply.headers, vary: 'accept-encoding' };
  const coding = chooseCoding(accepted);
  if (!coding) return { ...reply, headers };
  const allHeaders = { ...headers, 'content-encoding': coding };
  if (pieces) return { ...reply, headers: allHeaders, pieces: compressPieces(pieces, coding) };
  return { ...reply, headers: allHeaders, compressed: await compress(body ?? '', coding, fast) };
}

/** Compresses pieces one after another, when they are requested. */
async function* compressPieces(pieces: NonNullable<Reply['pieces']>, coding: Coding): AsyncGenerator<Buffer> {
  const compressor =
    coding === 'br' ? createBrotliCompress(toBrotliOptions(fast)) : createGzip({ chunkSize, level: fast });
  // An error destroys the compressor with that error, so the reader of the compressor receives it.
  pipeline(Readable.from(pieces, { objectMode: false }), compressor).catch(() => undefined);
  yield* compressor;
}

export interface CompressedFile {
  readonly bytes: Buffer;
  readonly coding: Coding;
}

/**
 * Creates a function that compresses files of a folder, each at its first request. Caches them, because they are few
 * and never change. Resolves with undefined for unknown files, and for clients that accept no coding.
 */
export function createCompressedFiles(
  folder: string,
): (name: string, accepted: string | undefined) => Promise<CompressedFile | undefined> {
  const cache = new Map<string, Promise<Buffer>>();
  const names = new Set(listFiles(folder));

  return async (name, accepted) => {
    const coding = names.has(name) ? chooseCoding(accepted) : undefined;
    if (!coding) return undefined;
    const key = `${coding} ${name}`;
    const compressing =
      cache.get(key) ?? readFile(path.join(folder, name)).then((bytes) => compress(bytes, coding, small));
    cache.set(key, compressing);
    try {
      return { bytes: await compressing, coding };
    } catch {
      // The file may be readable at the next request. This request gets the uncompressed file.
      cache.delete(key);
      return undefined;
    }
  };
}

/** Lists the files to compress; none if the console is not built. */
function listFiles(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => /\.(js|css|svg|json)$/.test(name));
    return names.filter((name) => statSync(path.join(folder, name)).size >= minBytes);
  } catch {
    return [];
  }
}
