/** Decodes the bodies of an archive: base64, compression, and form parameters in place of a text. */
import path from 'node:path';
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Json } from '../../../lib/json.ts';
import { readTextFile } from '../../../lib/text-file.ts';
import { isObject } from '../exchange.ts';

export type Decoded = { readonly text: string | undefined } | { readonly reason: string };

/** Maximum depth of an entry and of a body, for functions that call themselves. The API rejects flatter bodies. */
export const maxLevels = 500;

/** Maximum size of a decompressed body, in bytes. */
const maxBytes = 64 * 1024 ** 2;

/** Decodes the body of a request. Some tools list `params` and leave the text out. */
export function decodePostData({ postData, bodySize }: Json, headers: Readonly<Record<string, string>>): Decoded {
  const { text, params, _file } = isObject(postData) ? postData : {};
  if (typeof text === 'string' && text !== '') return decodeBody(postData, headers);
  if (!isFilled(params)) {
    const isOmitted = _file !== undefined || Number(bodySize) > 0 || Number(headers['content-length']) > 0;
    return isOmitted ? { reason: 'the body was not recorded' } : { text: undefined };
  }
  const pairs = params
    .filter(isObject)
    .map(({ name, value }) => [String(name ?? ''), String(value ?? '')] as [string, string]);
  return { text: new URLSearchParams(pairs).toString() };
}

function isFilled(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

/** Whether a response without a text had no body. Browsers forget bodies, and tools may leave them out. */
export function wasEmpty(status: number, content: unknown, headers: Readonly<Record<string, string>>): boolean {
  if (status < 200 || status === 204 || status === 304) return true;
  const { text, size = text === '' ? 0 : undefined } = isObject(content) ? content : {};
  return size === 0 && !(Number(headers['content-length']) > 0);
}

/** Adds the text of a body that the archive names as `_file`: Playwright writes such files into the archive's folder. */
export async function addFile(part: unknown, folder: string): Promise<unknown> {
  const name = isObject(part) ? part['_file'] : undefined;
  if (!isObject(part) || typeof name !== 'string' || path.basename(name) !== name) return part;
  return { ...part, ...(await readTextFile(path.join(folder, name))) };
}

/** Decodes the body of a response, or one of the same form. */
export function decodeBody(content: unknown, headers: Readonly<Record<string, string>>): Decoded {
  if (!isObject(content) || typeof content['text'] !== 'string') return { text: undefined };
  const { text, encoding } = content;
  if (encoding === undefined || encoding === null || encoding === '') return { text };
  if (String(encoding).toLowerCase() !== 'base64') return { reason: `unknown encoding ${JSON.stringify(encoding)}` };
  // The mark may be wrong.
  if (!/^[\w+/=\s-]*$/.test(text)) return { text };
  return decompress(Buffer.from(text, 'base64'), headers['content-encoding']);
}

/** The first bytes of compressed data. Most tools store decompressed bodies, beside the header of the compressed one. */
function decompress(bytes: Buffer, coding = ''): Decoded {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const text = bytes.toString('utf8');
  if (!isGzip && (coding === '' || coding === 'identity' || isText(bytes))) return { text };
  try {
    const options = { maxOutputLength: maxBytes };
    if (isGzip) return { text: gunzipSync(bytes, options).toString('utf8') };
    if (coding === 'br') return { text: brotliDecompressSync(bytes, options).toString('utf8') };
    const isZlib = bytes[0] === 0x78;
    if (coding === 'deflate')
      return { text: (isZlib ? inflateSync(bytes, options) : inflateRawSync(bytes, options)).toString('utf8') };
  } catch {
    return { reason: `the body is not valid ${isGzip ? 'gzip' : coding}` };
  }
  return { text };
}

/** Whether bytes look like JSON. */
function isText(bytes: Buffer): boolean {
  return /^\s*[[{"]/.test(bytes.subarray(0, 20).toString('latin1'));
}
