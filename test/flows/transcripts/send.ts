/** The steps of a transcript that send something: requests, and bytes on a connection. Each returns the lines of its response. */
import { once } from 'node:events';
import { connect as connectTo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import type { Response } from 'supertest';
import { expect } from 'vitest';
import type { TestSandbox } from '../../harness/sandbox.ts';
import { sight } from '../sight.ts';
import { at, toBodyLines, toFieldLines } from './lines.ts';
import { toBytes } from './parse.ts';
import { fill, type Request, type Stage } from './stage.ts';

/** Sends a request with each of its values. Results that are the same are listed once. */
export async function requestEach(stage: Stage, step: Request): Promise<readonly string[]> {
  const results = new Map<string, string[]>();
  for (const value of step.each) {
    const lines = await request(stage, { ...step, each: [value] });
    const text = lines.join('\n');
    results.set(text, [...(results.get(text) ?? []), value]);
  }
  if (results.size === 1) return [...results.keys()].flatMap((text) => text.split('\n'));
  return [...results].flatMap(([text, values]) => `${values.join(', ')}: ${text}`.split('\n'));
}

async function request(stage: Stage, step: Request): Promise<readonly string[]> {
  const { times } = step;
  if (step.shown.includes('connection')) return connect(stage, step);
  const statuses: number[] = [];
  let response = await send(stage, step, 1);
  for (let n = 2; n <= times; n += 1) {
    statuses.push(response.status);
    response = await send(stage, step, n);
  }
  return [
    ...(times > 1 ? [`before: ${statuses.join(' ').replace(/^(\d+)( \1){9,}$/, '$1 each')}`] : []),
    ...(await toResponseLines(stage, response, step.shown)),
  ];
}

async function toResponseLines({ sandbox }: Stage, response: Response, shown: readonly string[]) {
  const own = Object.entries(response.headers as Record<string, string>).filter(
    ([name, value]) => !hidden.has(name) && !(name === 'content-type' && value === 'application/json'),
  );
  const fields = shown.flatMap((field) => toFieldLines(field, at(response.body, field)));
  return [
    ...(shown.length > 0 ? [String(response.status), ...fields] : toBodyLines(response)),
    ...own.map(([name, value]) => `${name}: ${value}`),
    ...(await listWarnings(sandbox, response)),
  ];
}

/** Sends a request; `n` is its number in its step. */
async function send(stage: Stage, step: Request, n: number): Promise<Response> {
  const { sandbox, ids, keys, options } = stage;
  const { method } = step;
  const { path: url, headers, body } = await fill(stage, step, n);
  const root = '/_sandbox';
  const ask = () => {
    if (url.startsWith(root))
      return sandbox.control(method, url.slice(root.length), body, headers as Record<string, string>);
    return options['swift']
      ? sendUnchecked(sandbox, method, url, body, headers)
      : sandbox.api(method, url, body, headers);
  };
  const response = await ask();
  const id: string | undefined = response.headers['x-request-id'];
  if (id !== undefined) ids.push(id);
  stage.last = response.text;
  if (url === '/_sandbox/keys' && response.status === 201) keys.push(response.body);
  return response;
}

const usual = { apikey: 'sandbox-key', 'content-type': 'application/json' };

/** Sends a request whose response a rule may replace by one that the document does not have. */
async function sendUnchecked(
  sandbox: TestSandbox,
  method: string,
  url: string,
  body: unknown,
  headers: Request['headers'],
): Promise<Response> {
  const all = { ...usual, ...(headers as Record<string, string>) };
  const response = await fetch(sandbox.url() + url, { method, headers: all, body: JSON.stringify(body) });
  return toResponse(response.status, Object.fromEntries(response.headers), await response.text());
}

function toResponse(status: number, headers: Readonly<Record<string, string>>, text: string): Response {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const body = type === 'application/json' && text !== '' ? JSON.parse(text) : {};
  return { status, headers, type, text, body } as Response;
}

/** Sends requests whose connections may break. Returns a line for each: its status, its end, and its body if it is whole. */
async function connect(stage: Stage, step: Request): Promise<readonly string[]> {
  const { sandbox, ids } = stage;
  const lines: string[] = [];
  for (let n = 1; n <= step.times; n += 1) {
    const { path: url, headers, body } = await fill(stage, step, n);
    const all = { ...usual, ...(headers as Record<string, string>) };
    const sent = { method: step.method, headers: all, body: JSON.stringify(body) };
    const seen = await sight(sandbox, 'p', sandbox.url() + url, sent, ['hang']);
    ids.push(seen.entry.id);
    lines.push(`${seen.status} ${seen.connection} ${seen.text}`.trim());
  }
  return lines;
}

/** Headers that all responses have, or that follow from the body. */
const hidden = new Set([
  ...['connection', 'content-length', 'cross-origin-resource-policy', 'date', 'keep-alive', 'x-content-type-options'],
  ...['content-encoding', 'transfer-encoding', 'vary', 'x-request-id', 'x-sandbox-warnings'],
]);

/** Returns the warnings of a request, which the journal has. */
async function listWarnings(sandbox: TestSandbox, { headers }: Response): Promise<readonly string[]> {
  if (headers['x-sandbox-warnings'] === undefined) return [];
  const { body } = await sandbox.control('GET', `/requests/${headers['x-request-id']}`);
  expect(body.warnings.length).toBe(Number(headers['x-sandbox-warnings']));
  return body.warnings.map((text: string) => `warning: ${text}`);
}

/** Sends bytes: a head, then a body, which waits for a response if the head has `expect`. Reads until the connection ends. */
export async function sendBytes(
  stage: Stage,
  lines: readonly string[],
  shown: readonly string[],
): Promise<readonly string[]> {
  const { head, body } = toBytes(lines);
  const { hostname, port } = new URL(stage.sandbox.url());
  const socket = connectTo(Number(port), hostname);
  socket.write(head, 'latin1');
  const first = /^expect:/im.test(head) ? String(await once(socket, 'data')) : '';
  const interim = first.startsWith('HTTP/1.1 100 ') ? ['100'] : [];
  if (first === '' || interim.length > 0) socket.write(body, 'latin1');
  const [top = '', ...rest] = (first + (await readAll(socket))).split('\r\n\r\n').slice(interim.length);
  const [line = '', ...fields] = top.split('\r\n');
  const headers: Record<string, string> = {};
  for (const [, name = '', value = ''] of fields.map((one) => /^(.+?): (.*)/.exec(one) ?? []))
    headers[name.toLowerCase()] = value;
  const response = toResponse(Number(line.split(' ')[1]), headers, rest.join('\r\n\r\n'));
  const { 'x-request-id': id } = headers;
  if (id !== undefined) stage.ids.push(id);
  return [...interim, ...(await toResponseLines(stage, response, shown))];
}
