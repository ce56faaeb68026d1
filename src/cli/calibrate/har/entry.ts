/** Converts an entry of an archive to an exchange, and removes its secrets. */
import path from 'node:path';
import { isDeeperThan } from '../../../lib/depth.ts';
import { isSecretParameter } from '../../../lib/secret-name.ts';
import { isUrl } from '../../../lib/url.ts';
import { type BrokenEntry, type Exchange, isObject } from '../exchange.ts';
import { addFile, decodeBody, decodePostData, wasEmpty } from './content.ts';
import { createKeyNumbers, maxLevels, withoutHeaderSecrets, withoutSecrets } from './secrets.ts';

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
    const sent = withoutSecrets(decodePostData(postData, request['bodySize'], headers));
    if ('reason' in sent) return { file, index, reason: `request: ${sent.reason}` };
    const received = withoutSecrets(decodeBody(content, responseHeaders));
    if ('reason' in received) return { file, index, reason: `response: ${received.reason}` };
    const query = [...url.searchParams].filter(([name]) => !isSecretParameter(name));
    const search = new URLSearchParams(query).toString();
    return {
      ...{ file, index, method, host: url.host, path: url.pathname, query },
      url: search === '' ? url.pathname : `${url.pathname}?${search}`,
      atMs: head.atMs,
      headers: withoutHeaderSecrets(headers),
      key: numberOf(headers['apikey']),
      body: sent.content,
      response: {
        status,
        headers: withoutHeaderSecrets(responseHeaders),
        body: received.content,
        isBodyUnknown: !received.content && !wasEmpty(status, content, responseHeaders),
      },
    };
  };
}

/** Returns the parts of an entry that an exchange must have, or what is wrong with them. */
function readHead(entry: unknown) {
  if (!isObject(entry)) return { reason: 'expected an object' };
  if (isDeeperThan(entry, maxLevels)) return { reason: `the entry has more than ${maxLevels} levels` };
  const { request, response, startedDateTime } = entry;
  if (!isObject(request)) return { reason: '"request" is missing' };
  if (!isObject(response)) return { reason: '"response" is missing' };
  const { url, method } = request;
  if (typeof url !== 'string' || !isUrl(url) || !/^https?:/i.test(url))
    return { reason: '"request.url" must be an absolute http or https URL' };
  if (typeof method !== 'string' || !/^[a-z]+$/i.test(method))
    return { reason: '"request.method" must be the name of a method' };
  const status = Number(response['status']);
  if (!Number.isInteger(status) || status < 100 || status > 599) {
    const found = JSON.stringify(response['status'])?.slice(0, 20) ?? 'missing';
    return { reason: `"response.status" must be 100 to 599, and is ${found}: the request had no response` };
  }
  const atMs = typeof startedDateTime === 'string' ? Date.parse(startedDateTime) : Number.NaN;
  return {
    request,
    response,
    atMs: Number.isNaN(atMs) ? undefined : atMs,
    url: new URL(url),
    method: method.toUpperCase(),
    status,
  };
}

/** Reads a list of names and values, or an object as some tools write it. Ignores pseudo headers of HTTP/2. */
function readHeaders(value: unknown): Record<string, string> {
  const listed = Array.isArray(value) ? value.filter(isObject).map(({ name, value: text }) => [name, text]) : [];
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, text] of isObject(value) ? Object.entries(value) : listed) {
    if (typeof name !== 'string' || name.startsWith(':') || text === undefined || text === null) continue;
    const key = name.toLowerCase().trim();
    headers[key] = key in headers ? `${headers[key]}, ${String(text)}` : String(text);
  }
  return headers;
}
