/** Decodes the bodies of an archive: base64, compression, and files beside the archive. */
import path from 'node:path';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { isObject, type Json } from '../../lib/json.ts';
import { readTextFile } from '../../lib/text-file.ts';

/** The text of a body; undefined if the archive has none. */
export type Decoded = { readonly text: string | undefined } | { readonly reason: string };

type Headers = Readonly<Record<string, string>>;

/** Decodes the body of a request. */
export function decodePostData(postData: unknown, bodySize: unknown, headers: Headers): Decoded {
  const { text, params, _file } = isObject(postData) ? postData : {};
  if (typeof text === 'string' && text !== '') return decodeBody(postData, headers);
  // A form, which is no body of the API.
  if (Array.isArray(params) && params.length > 0) return { text: undefined };
  const isOmitted = _file !== undefined || Number(bodySize) > 0 || Number(headers['content-length']) > 0;
  return isOmitted ? { reason: 'the body was not recorded' } : { text: undefined };
}

/** Whether a response without a text had no body. Browsers forget bodies, and tools may leave them out. */
export function wasEmpty(status: number, content: unknown, headers: Headers): boolean {
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
export function decodeBody(content: unknown, headers: Headers): Decoded {
  const { text, encoding }: Json = isObject(content) ? content : {};
  if (typeof text !== 'string') return { text: undefined };
  if (encoding === undefined || encoding === null || encoding === '') return { text };
  if (String(encoding).toLowerCase() !== 'base64') return { reason: `unknown encoding ${JSON.stringify(encoding)}` };
  // The mark may be wrong.
  if (!/^[\w+/=\s-]*$/.test(text)) return { text };
  return decompress(Buffer.from(text, 'base64'), headers['content-encoding'] ?? '');
}

const decoders: ReadonlyMap<string, typeof gunzipSync> = new Map([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
  ['deflate', inflateSync],
]);

/** Most tools store decompressed bodies, beside the header of the compressed one. */
function decompress(bytes: Buffer, coding: string): Decoded {
  const decode = decoders.get(coding.trim().toLowerCase());
  if (!decode || /^\s*[[{"]/.test(bytes.subarray(0, 20).toString('latin1'))) return { text: bytes.toString() };
  try {
    return { text: decode(bytes, { maxOutputLength: 64 * 1024 ** 2 }).toString() };
  } catch {
    return { reason: `the body is not valid ${coding}` };
  }
}
