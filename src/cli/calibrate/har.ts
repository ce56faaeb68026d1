/** Reads HTTP archives of browsers, proxies, test tools and of the sandbox itself. */

import path from 'node:path';
import { isDeeperThan } from '../../lib/depth.ts';
import { isObject } from '../../lib/json.ts';
import { isSecretParameter } from '../../lib/secret-name.ts';
import { isUrl } from '../../lib/url.ts';
import { readJsonFile } from '../output/json-file.ts';
import {
  addFile,
  createKeyNumbers,
  decodeBody,
  decodePostData,
  maxLevels,
  wasEmpty,
  withoutHeaderSecrets,
  withoutSecrets,
} from './content.ts';
import type { BrokenEntry, Exchange } from './exchange.ts';

/** The usable exchanges in the order of their times, and the entries that cannot be used. */
export interface Traffic {
  readonly exchanges: readonly Exchange[];
  readonly broken: readonly BrokenEntry[];
}

/** Reads archives, and adds a mistake for each file that is no archive. */
export async function readTraffic(files: readonly string[], mistakes: string[]): Promise<Traffic> {
  const exchanges: Exchange[] = [];
  const broken: BrokenEntry[] = [];
  // The keys are numbered across files.
  const numberOf = createKeyNumbers();
  for (const file of files) {
    const entries = await readEntries(file);
    if (typeof entries === 'string') mistakes.push(`${file}: ${entries}`);
    else
      for (const [index, entry] of entries.entries()) {
        const read = await readEntry(entry, { file, index }, numberOf);
        if ('reason' in read) broken.push(read);
        else exchanges.push(read);
      }
  }
  return { exchanges: inOrderOfTime(exchanges), broken };
}

/** Returns the entries of an archive, or what is wrong with the file. */
async function readEntries(file: string): Promise<readonly unknown[] | string> {
  const read = await readJsonFile(file);
  if ('reason' in read) return read.code === undefined ? `${read.reason}; export the traffic as HAR` : read.reason;
  const { value } = read;
  const log = isObject(value) ? value['log'] : undefined;
  const entries = isObject(log) ? log['entries'] : undefined;
  if (Array.isArray(entries)) return entries;
  return 'not an HTTP archive: expected an object with "log.entries"; export the traffic as HAR 1.2';
}

/** Sorts by time. Entries without a time stay after the one before them. */
function inOrderOfTime(exchanges: readonly Exchange[]): readonly Exchange[] {
  let latest = 0;
  const timed = exchanges.map((exchange) => {
    latest = exchange.atMs ?? latest;
    return { exchange, atMs: latest };
  });
  return timed.toSorted((a, b) => a.atMs - b.atMs).map(({ exchange }) => exchange);
}

/** Reads an entry. `numberOf`: numbers the API keys; none of them is kept. */
async function readEntry(
  entry: unknown,
  place: Pick<Exchange, 'file' | 'index'>,
  numberOf: ReturnType<typeof createKeyNumbers>,
): Promise<Exchange | BrokenEntry> {
  const head = readHead(entry);
  if ('reason' in head) return { ...place, reason: head.reason };
  const { request, response, url, method, status } = head;
  const folder = path.dirname(place.file);
  const postData = await addFile(request['postData'], folder);
  const content = await addFile(response['content'], folder);
  const headers = readHeaders(request['headers']);
  const responseHeaders = readHeaders(response['headers']);
  const mimeType = isObject(postData) ? postData['mimeType'] : undefined;
  if (typeof mimeType === 'string' && mimeType !== '') headers['content-type'] ??= mimeType;
  const sent = withoutSecrets(decodePostData(postData, request['bodySize'], headers));
  if ('reason' in sent) return { ...place, reason: `request: ${sent.reason}` };
  const received = withoutSecrets(decodeBody(content, responseHeaders));
  if ('reason' in received) return { ...place, reason: `response: ${received.reason}` };
  const query = [...url.searchParams].filter(([name]) => !isSecretParameter(name));
  const search = new URLSearchParams(query).toString();
  return {
    ...{ ...place, method, host: url.host, path: url.pathname, query },
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
