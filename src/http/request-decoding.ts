/** Content codings of request bodies, and streams that decompress them. */
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';

const codings = ['gzip', 'deflate', 'br'] as const;
export type Coding = (typeof codings)[number];

/** Size of the chunks that a separate thread decompresses, in bytes. */
const chunkSize = 64 * 1024;

/** Returns the coding of a request's body, undefined if it has none, or `unknown` for other or several codings. */
export function codingOf({ headers }: IncomingMessage): Coding | undefined | 'unknown' {
  const given = headers['content-encoding'];
  if (given === undefined) return undefined;
  const coding = given.trim().toLowerCase();
  if (coding === 'identity') return undefined;
  if (coding === 'x-gzip') return 'gzip';
  return codings.find((one) => one === coding) ?? 'unknown';
}

/** Accepted codings, for the response header (RFC 9110, 15.5.16) and for messages. */
export const acceptedCodings: string = codings.join(', ');

/** Creates a stream that decompresses a body. Loads zlib at the first call, because most bodies are not compressed. */
export async function createDecompressor(coding: Coding): Promise<Transform> {
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib');
  switch (coding) {
    case 'gzip':
      return createGunzip({ chunkSize });
    case 'deflate':
      return createInflate({ chunkSize });
    case 'br':
      return createBrotliDecompress({ chunkSize });
    default:
      return coding satisfies never;
  }
}
