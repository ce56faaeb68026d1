/** A request of the journal as other tools take it: a curl command, a HAR file, a request to send again. */
import { apiKey } from './api-key.ts';
import { base, type Schemas } from './client.ts';

type Journalled = Schemas['RequestSummary'];

/** Where the API is, as this page has it. */
export const apiUrl: string = location.origin + base.replace(/\/_sandbox$/, '');

/** Those that say something of the request itself, not of the connection that it came by. */
const ofConnection = new Set([
  'host',
  'connection',
  'content-length',
  'user-agent',
  'accept-encoding',
  'accept',
  'origin',
]);

function sentHeaders({ headers }: Journalled['request']): readonly (readonly [string, string])[] {
  const own = Object.entries(headers).filter(([name]) => !ofConnection.has(name) && !name.startsWith('sec-'));
  // What the journal hides is given again.
  return own.filter(([, value]) => !value.includes('***')).concat([['apikey', apiKey.get()]]);
}

/** A command to paste. Its key is the published one, or what was typed in here. */
export function toCurl({ request }: Journalled): string {
  const lines = [
    `curl -i -X ${request.method} ${quote(apiUrl + request.url)}`,
    ...sentHeaders(request).map(([name, value]) => `  -H ${quote(`${name}: ${value}`)}`),
    ...(request.body === undefined ? [] : [`  --data-raw ${quote(request.body)}`]),
  ];
  return lines.join(' \\\n');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;

/** A word of a shell. What would command the terminal into which it is pasted is written out, which is no POSIX. */
function quote(text: string): string {
  if (text.search(controls) < 0) return `'${text.replaceAll("'", "'\\''")}'`;
  const written = text.replace(/[\\']/g, '\\$&').replace(controls, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `$'${written}'`;
}

/** An HTTP archive, version 1.2, of one request. */
export function toHar({ at, durationMs, request, response }: Journalled): string {
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

/** Sends a request of the API; gives back its answer's status and the id that it has in the journal. */
export async function sendAgain(
  method: string,
  url: string,
  headers: readonly (readonly [string, string])[],
  body: string | undefined,
): Promise<{ readonly status: number; readonly id: string }> {
  const answer = await fetch(apiUrl + url, {
    method,
    headers: headers.map(([name, value]) => [name, value] as [string, string]),
    ...(body !== undefined && { body }),
  });
  await answer.text();
  return { status: answer.status, id: answer.headers.get('x-request-id') ?? '' };
}

export { sentHeaders };
