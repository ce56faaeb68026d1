/** Converts an entry of an archive to an exchange, and removes its secrets. */
import path from 'node:path';
import { isDeeperThan } from '../../../lib/depth.ts';
import type { Json } from '../../../lib/json.ts';
import { isUrl } from '../../../lib/url.ts';
import { type BrokenEntry, type Exchange, isObject } from '../exchange.ts';
import { addFile, decodeBody, decodePostData, maxLevels, wasEmpty } from './content.ts';
import { createKeyNumbers, withoutHeaderSecrets, withoutSecretParameters, withoutSecrets } from './secrets.ts';

/** Creates a reader of entries. It numbers the API keys, and keeps none of them. */
export function createEntryReader(): (entry: unknown, file: string, index: number) => Promise<Exchange | BrokenEntry> {
  const numberOf = createKeyNumbers();
  return async (entry, file, index) => {
    const head = readHead(entry);
    if ('reason' in head) return { file, index, reason: head.reason };
    const { request, response, url, method, status } = head;
    const postData = await addFile(request['postData'], path.dirname(file));
    const content = await addFile(response['content'], path.dirname(file));
    const headers = readHeaders(request['headers']);
    const responseHeaders = readHeaders(response['headers']);
    const mimeType = isObject(postData) ? postData['mimeType'] : undefined;
    if (typeof mimeType === 'string' && mimeType !== '') headers['content-type'] ??= mimeType;
    const sent = withoutSecrets(decodePostData({ ...request, postData }, headers), { isRequest: true });
    if ('reason' in sent) return { file, index, reason: `request: ${sent.reason}` };
    const received = withoutSecrets(decodeBody(content, responseHeaders), { isRequest: false });
    if ('reason' in received) return { file, index, reason: `response: ${received.reason}` };
    return {
      file,
      index,
      atMs: head.atMs,
      method,
      host: url.host,
      path: url.pathname,
      query: withoutSecretParameters([...url.searchParams]),
      headers: withoutHeaderSecrets(headers),
      key: numberOf(headers['apikey']),
      body: sent.content,
      hasMaskedSecrets: sent.hasMaskedSecrets,
      response: {
        status,
        headers: withoutHeaderSecrets(responseHeaders),
        body: received.content,
        isBodyUnknown: !received.content && !wasEmpty(status, content, responseHeaders),
      },
    };
  };
}

interface Head {
  readonly request: Json;
  readonly response: Json;
  readonly url: URL;
  readonly method: string;
  readonly status: number;
  readonly atMs: number | undefined;
}

/** Checks the parts of an entry that an exchange must have. */
function readHead(entry: unknown): Head | { readonly reason: string } {
  if (!isObject(entry)) return { reason: 'expected an object' };
  if (isDeeperThan(entry, maxLevels)) return { reason: `the entry has more than ${maxLevels} levels` };
  const { request, response } = entry;
  if (!isObject(request)) return { reason: '"request" is missing' };
  if (!isObject(response)) return { reason: '"response" is missing' };
  const url = readUrl(request['url']);
  if (!url) return { reason: '"request.url" must be an absolute http or https URL' };
  const method = readMethod(request['method']);
  if (method === undefined) return { reason: '"request.method" must be the name of a method' };
  const status = Number(response['status']);
  if (!Number.isInteger(status) || status < 100 || status > 599) {
    const found = JSON.stringify(response['status'])?.slice(0, 20) ?? 'missing';
    return { reason: `"response.status" must be 100 to 599, and is ${found}: the request had no response` };
  }
  return { request, response, url, method, status, atMs: readTime(entry['startedDateTime']) };
}

function readMethod(value: unknown): string | undefined {
  return typeof value === 'string' && /^[a-z]+$/i.test(value) ? value.toUpperCase() : undefined;
}

function readUrl(value: unknown): URL | undefined {
  if (typeof value !== 'string' || !isUrl(value)) return undefined;
  const url = new URL(value);
  return /^https?:$/.test(url.protocol) ? url : undefined;
}

function readTime(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** Reads a list of names and values, or an object as some tools write it. Ignores pseudo headers of HTTP/2. */
function readHeaders(value: unknown): Record<string, string> {
  const pairs = Array.isArray(value)
    ? value.filter(isObject).map(({ name, value: text }) => [name, text] as const)
    : isObject(value)
      ? Object.entries(value)
      : [];
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, text] of pairs) {
    if (typeof name !== 'string' || name.startsWith(':') || text === undefined || text === null) continue;
    const key = name.toLowerCase().trim();
    headers[key] = key in headers ? `${headers[key]}, ${String(text)}` : String(text);
  }
  return headers;
}
