/** Sends requests of the journal to the API again, and writes them as curl commands. */
import { quoteWord } from '../lib/shell-word.ts';
import { apiUrl, type Schemas } from './api.ts';
import { readJson } from './format.ts';
import { jsonTokens } from './json-lines.ts';
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

export interface RequestToSend {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body: string | undefined;
}

/** Maximum length of a body that is an argument, in characters of up to three bytes: Linux accepts 128 kB. */
const maxArgument = 40_000;

/** Writes a request as a curl command, with the key in its headers. */
export function toCurl({ method, url, headers, body }: RequestToSend): string {
  const isLong = body !== undefined && body.length > maxArgument;
  const data = isLong ? '--data-binary @-' : `--data-raw ${quoteWord(body ?? '')}`;
  // By default, curl reads brackets in a URL as patterns.
  const options = /[[\]{}]/.test(url) ? '-gi' : '-i';
  // With `-X`, it waits for a body.
  const verb = method === 'HEAD' ? '-I' : `-X ${method}`;
  const lines = [
    `curl ${options} ${verb} ${quoteWord(apiUrl + url)}`,
    // It removes a header without a value, unless it ends with a semicolon.
    ...headers.map(([name, value]) => `  -H ${quoteWord(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`  ${data}`]),
  ];
  return (isLong ? `printf %s ${quoteWord(body)} | ` : '') + lines.join(' \\\n');
}

/** Writes a request as a call of `fetch`. */
export function toFetch({ method, url, headers, body }: RequestToSend): string {
  const quote = (text: string): string => JSON.stringify(text);
  // JavaScript would round long numbers, and drop `__proto__` and what appears twice. Strings have no line breaks.
  const value = body?.includes('"__proto__"') ? undefined : readJson(body);
  const isSame = value !== undefined && jsonTokens(body ?? '').join('') === JSON.stringify(value);
  const json = isSame ? `JSON.stringify(${body?.trim().replaceAll('\n', '\n  ')})` : quote(body ?? '');
  return [
    `const response = await fetch(${quote(apiUrl + url)}, {`,
    `  method: ${quote(method)},`,
    '  headers: {',
    ...headers.map(([name, value]) => `    ${quote(name)}: ${quote(value)},`),
    '  },',
    ...(body === undefined ? [] : [`  body: ${json},`]),
    '});',
    'console.log(response.status, await response.text());',
  ].join('\n');
}

/** Two jobs, of which the second one fails downstream because of its id. */
const firstJobs = [{ id: 'ORD-1' }, { id: 'FAIL-GEOCODE-1' }];

/** Writes the first request of a user as a curl command. `sample`: one of `asyncImportJobs`. */
export function toFirstRequest({ method, url, headers, body }: Schemas['ApiSample']): string {
  return toCurl({
    method,
    url,
    headers: [['apikey', apiKey.value], ...Object.entries(headers), ['content-type', 'application/json']],
    body: JSON.stringify({ ...body, jobs: firstJobs }),
  });
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly durationMs: number;
  /** Id of the request. */
  readonly id: string;
}

/**
 * Sends a request to the API. Undefined if the sandbox did not respond.
 * @throws {TypeError} if browsers do not send it, such as a GET with a body or a header with other than Latin-1 characters
 */
export async function send({ method, url, headers, body }: RequestToSend): Promise<Answer | undefined> {
  const startedAt = performance.now();
  const sent = { method, headers: Object.fromEntries(headers), ...(body !== undefined && { body }) };
  const request = new Request(apiUrl + url, sent);
  try {
    const response = await fetch(request);
    const text = await response.text();
    const durationMs = performance.now() - startedAt;
    const answered = Object.fromEntries(response.headers);
    const id = answered['x-request-id'];
    return id === undefined ? undefined : { status: response.status, body: text, headers: answered, durationMs, id };
  } catch {
    return undefined;
  }
}

/** Sends a request to the API and opens it. */
export function sendAndOpen(request: RequestToSend): Promise<boolean> {
  return attempt('', async () => {
    const answer = await send(request);
    if (!answer) throw new Error('No response: check whether the request arrived.');
    const { status, id } = answer;
    choose({ request: id });
    notice(status >= 400 ? 'bad' : 'good', `Sent. The sandbox responded with ${status} to the new request ${id}.`);
  });
}
