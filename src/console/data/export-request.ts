/** Converts a request of the journal for other tools: a curl command, a HAR file, or a request to send again. */
import { quoteWord } from '../../lib/shell-word.ts';
import { apiKey } from './api-key.ts';
import { base, type Schemas } from './client.ts';

type RequestSummary = Schemas['RequestSummary'];

/** URL of the API, with the origin under which this page was loaded. */
export const apiUrl: string = location.origin + base.replace(/\/_sandbox$/, '');

/** Headers that describe the connection instead of the request. They are not sent again. */
const connectionHeaders = new Set([
  'host',
  'connection',
  'content-length',
  // The journal stores decompressed bodies.
  'content-encoding',
  'user-agent',
  'accept-encoding',
  'accept',
  'origin',
]);

export function sentHeaders({ headers }: RequestSummary['request']): readonly (readonly [string, string])[] {
  const kept = Object.entries(headers).filter(([name]) => !connectionHeaders.has(name) && !name.startsWith('sec-'));
  // The journal masks secrets, so the key is added again.
  return kept.filter(([, value]) => !value.includes('***')).concat([['apikey', apiKey.get()]]);
}

/** Returns a curl command. It contains the published key, or the key that the user has typed in. */
export function toCurl({ request }: RequestSummary): string {
  const lines = [
    `curl -i -X ${request.method} ${quoteWord(apiUrl + request.url)}`,
    ...sentHeaders(request).map(([name, value]) => `  -H ${quoteWord(`${name}: ${value}`)}`),
    ...(request.body === undefined ? [] : [`  --data-raw ${quoteWord(request.body)}`]),
  ];
  return lines.join(' \\\n');
}

/** Returns one request as an HTTP archive (HAR), version 1.2. */
export function toHar({ at, durationMs, request, response }: RequestSummary): string {
  const pairs = (headers: Readonly<Record<string, string>>) =>
    Object.entries(headers).map(([name, value]) => ({ name, value }));
  const url = new URL(apiUrl + request.url);
  const sizes = { headersSize: -1, bodySize: -1 };
  const entry = {
    startedDateTime: at,
    time: durationMs,
    request: {
      method: request.method,
      url: url.href,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(request.headers),
      queryString: [...url.searchParams].map(([name, value]) => ({ name, value })),
      ...(request.body !== undefined && {
        postData: { mimeType: request.headers['content-type'] ?? '', text: request.body },
      }),
      ...sizes,
    },
    response: {
      status: response.status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(response.headers),
      content: {
        size: response.body?.length ?? 0,
        mimeType: response.headers['content-type'] ?? '',
        text: response.body ?? '',
      },
      redirectURL: '',
      ...sizes,
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
  };
  const log = { version: '1.2', creator: { name: 'field-sandbox', version: '1' }, entries: [entry] };
  return JSON.stringify({ log }, null, 2);
}

/** Sends a request to the API. Returns the status of the response and the request's id in the journal. */
export async function sendRequest(
  method: string,
  url: string,
  headers: readonly (readonly [string, string])[],
  body: string | undefined,
): Promise<{ readonly status: number; readonly id: string }> {
  const response = await fetch(apiUrl + url, {
    method,
    headers: headers.map(([name, value]) => [name, value] as [string, string]),
    ...(body !== undefined && { body }),
  });
  await response.text();
  return { status: response.status, id: response.headers.get('x-request-id') ?? '' };
}
