/** Reads the contents of an archive: decodes base64, compression, and files beside it, and removes secrets. */
import { hash } from 'node:crypto';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { parseJson } from '../../client/send.ts';
import { namesSecret, replaceSecrets, toReplayBody } from '../../http/redact.ts';
import { isDeeperThan } from '../../lib/depth.ts';
import { isObject, type Json } from '../../lib/json.ts';
import { isSecretName } from '../../lib/secret-name.ts';
import { readTextFile } from '../../lib/text-file.ts';
import type { Content, Exchange } from './exchange.ts';

/** The text of a body; undefined if the archive has none. */
type Decoded = { readonly text: string | undefined } | { readonly reason: string };

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
  // The mark of a text may be wrong.
  if (!/^[\w+/=\s-]*$/.test(text))
    return /^\s*[[{"<]/.test(text) ? { text } : { reason: 'the body is not valid base64' };
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

/** Maximum depth of an entry and of a body, for functions that call themselves. The API rejects flatter bodies. */
export const maxLevels = 500;

/** Texts that tools write in place of a secret. */
const mask = /^(\*+|x{3,}|\[?<?(redacted|removed|masked|filtered|hidden)>?\]?|\.\.\.|…|)$/i;

/** Creates a function that numbers API keys in the order of their appearance. It keeps hashes only. */
export function createKeyNumbers(): (key: string | undefined) => Exchange['key'] {
  const numbers = new Map<string, number>();
  return (key) => {
    if (key === undefined) return undefined;
    if (mask.test(key)) return 'masked';
    const digest = hash('sha256', key);
    const number = numbers.get(digest) ?? numbers.size;
    numbers.set(digest, number);
    return number;
  };
}

/** Removes the headers that hold secrets. */
export function withoutHeaderSecrets(headers: Readonly<Record<string, string>>): Record<string, string> {
  const isSecret = (name: string): boolean => isSecretName(name) || /^((set-)?cookie2?|x-auth)$/.test(name);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isSecret(name)));
}

/**
 * Replaces the secrets of a body. A secret becomes a text that breaks the same rules; a masked one becomes a valid text.
 * A text that is not JSON is cut where it may hold one.
 */
export function withoutSecrets(decoded: Decoded): { readonly content?: Content } | { readonly reason: string } {
  if ('reason' in decoded) return decoded;
  const { text } = decoded;
  if (text === undefined || text === '') return {};
  const value = parseJson(text.replace(/^\ufeff/, ''));
  if (isDeeperThan(value, maxLevels)) return { reason: `the body has more than ${maxLevels} levels` };
  const isJson = value !== undefined;
  if (!namesSecret(text, isJson)) return { content: { text, ...(isJson && { value }) } };
  if (!isJson) return { content: { text: '(removed: it may contain a secret)' } };
  const replaced = toReplayBody(replaceSecrets(value, unmask));
  return { content: { text: replaced, value: parseJson(replaced) } };
}

/** Returns a text that follows the shown rules of a password in place of a masked one. */
function unmask(secret: unknown): unknown {
  return typeof secret === 'string' && secret !== '' && mask.test(secret) ? 'Stand-in' : secret;
}
