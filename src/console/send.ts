/** Sends requests of the journal to the API again, and writes them as curl commands. */
import { quoteWord } from '../lib/shell-word.ts';
import { apiUrl, type Schemas } from './api.ts';
import { choose } from './route.ts';
import { apiKey, attempt, notice } from './state.ts';

type RequestSummary = Schemas['RequestSummary'];

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

type Header = readonly [name: string, value: string];

export function sentHeaders({ headers }: RequestSummary['request']): readonly Header[] {
  const kept = Object.entries(headers).filter(([name]) => !connectionHeaders.has(name) && !name.startsWith('sec-'));
  // The journal masks secrets, so the key is added again.
  return kept.filter(([, value]) => !value.includes('***')).concat([['apikey', apiKey.value]]);
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

export interface RequestToSend {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body: string | undefined;
}

/** Sends a request to the API and opens it. */
export function sendAndOpen({ method, url, headers, body }: RequestToSend): Promise<boolean> {
  return attempt('', async () => {
    const response = await fetch(apiUrl + url, {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      ...(body !== undefined && { body }),
    });
    await response.text();
    const id = response.headers.get('x-request-id') ?? '';
    choose({ request: id });
    notice(
      response.status >= 400 ? 'bad' : 'good',
      `Sent. The sandbox responded with ${response.status} to the new request ${id}.`,
    );
  });
}
