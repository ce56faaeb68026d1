/** Compresses responses of the control API and the console's files for clients that accept a coding. */
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

/** Each response is compressed for one client only, so this is to be fast. */
const level = 1;

const brotliOptions = { chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: level } };
const gzipOptions = { chunkSize, level };

/** Compresses in a separate thread. */
function compress(text: string, coding: Coding): Promise<Buffer> {
  return coding === 'br' ? promisify(brotliCompress)(text, brotliOptions) : promisify(gzip)(text, gzipOptions);
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
  return { ...reply, headers: allHeaders, compressed: await compress(body ?? '', coding) };
}

/** Compresses pieces one after another, when they are requested. */
async function* compressPieces(pieces: NonNullable<Reply['pieces']>, coding: Coding): AsyncGenerator<Buffer> {
  const compressor = coding === 'br' ? createBrotliCompress(brotliOptions) : createGzip(gzipOptions);
  // An error destroys the compressor with that error, so the reader of the compressor receives it.
  pipeline(Readable.from(pieces, { objectMode: false }), compressor).catch(() => undefined);
  yield* compressor;
}
