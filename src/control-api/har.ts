/** Converts journal entries to an HTTP archive (HAR), version 1.2. */
import { STATUS_CODES } from 'node:http';
import type { JournalEntry } from '../journal/entry.ts';
import { toJsonPieces } from '../lib/chunks.ts';
import { toWarningText } from '../lib/problem.ts';
import { findTraceId } from './requests/show.ts';

/** Yields the archive of these entries as JSON. */
export function* toHar(entries: Iterable<object>, version: string): Generator<string> {
  yield '{"log":';
  yield* toJsonPieces({
    version: '1.2',
    creator: { name: 'field-sandbox', version },
    entries,
  });
  yield '}';
}

export function toHarEntry(entry: JournalEntry): object {
  const { id, at, operation, durationMs, fault, warnings } = entry;
  return {
    startedDateTime: at,
    time: durationMs,
    request: toHarRequest(entry),
    response: toHarResponse(entry),
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    // The format reserves names that begin with an underscore for additions.
    _requestId: id,
    _operation: operation,
    _traceId: findTraceId(entry),
    _fault: fault,
    _warnings: warnings.length > 0 ? warnings.map(toWarningText) : undefined,
  };
}

const httpVersion = 'HTTP/1.1';

function toHarRequest({ method, url, isSecure, requestHeaders, requestBody }: JournalEntry): object {
  const text = requestBody?.read().shown ?? '';
  const queryStart = url.indexOf('?');
  const query = queryStart < 0 ? [] : [...new URLSearchParams(url.slice(queryStart + 1))];
  return {
    method,
    // A request without a host is a malformed one of HTTP/1.0.
    url: `${isSecure ? 'https' : 'http'}://${requestHeaders['host'] ?? 'localhost'}${url}`,
    httpVersion,
    cookies: [],
    headers: toPairs(Object.entries(requestHeaders)),
    queryString: toPairs(query),
    postData: text === '' ? undefined : { mimeType: requestHeaders['content-type'] ?? '', text },
    headersSize: -1,
    bodySize: Buffer.byteLength(text),
  };
}

function toHarResponse({ status, responseHeaders, responseBody = '' }: JournalEntry): object {
  const size = Buffer.byteLength(responseBody);
  return {
    status,
    statusText: STATUS_CODES[status] ?? '',
    httpVersion,
    cookies: [],
    headers: toPairs(Object.entries(responseHeaders)),
    content: { size, mimeType: responseHeaders['content-type'] ?? '', text: responseBody },
    redirectURL: responseHeaders['location'] ?? '',
    headersSize: -1,
    bodySize: size,
  };
}

function toPairs(entries: readonly (readonly [string, string])[]): readonly object[] {
  return entries.map(([name, value]) => ({ name, value }));
}
