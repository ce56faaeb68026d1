/** Plays each case of cases.yaml for each operation, and compares all bytes with `approved/`. README.txt describes both. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { SeenEvent } from '../harness/event-reader.ts';
import { type Received, useReceiver } from '../harness/receiver.ts';
import { type Exchanged, exchange } from './exchange.ts';
import { startsAt, useTranscriptSandbox } from './sandbox.ts';

type Json = Readonly<Record<string, unknown>>;

interface Send {
  readonly body?: string;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly method?: string;
  readonly suffix?: string;
  readonly hangs?: boolean;
}

interface Case {
  readonly for?: 'updates' | 'callbacks';
  readonly before?: false;
  readonly rules?: readonly Json[];
  readonly receiver?: readonly number[];
  readonly send: readonly Send[] | 'every mistake';
}

interface Cases {
  readonly operations: Readonly<Record<string, { readonly bodies: string; readonly before?: string }>>;
  readonly params: Readonly<Record<string, string>>;
  readonly bodies: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly cases: Readonly<Record<string, Case>>;
}

const source = readFileSync(new URL('./cases.yaml', import.meta.url), 'utf8');
const { operations, params, bodies, cases }: Cases = parse(source, { merge: true });

/** An operation in the catalog of failures. */
interface Listed {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly mode: 'sync' | 'async';
}

/** A request that was sent, and what came back. */
interface Played extends Exchanged {
  readonly operation: string;
  readonly send: Send;
  readonly method: string;
  readonly url: string;
  readonly headers: Json;
  readonly text: string;
}

/** Tests all operations. `restarts`: once between the requests of an operation and the advance of its clocks. */
export function testTranscripts({ restarts = false }: { readonly restarts?: boolean } = {}): void {
  const folder = restarts ? mkdtempSync(path.join(tmpdir(), 'transcripts-')) : undefined;
  const receiver = useReceiver();
  const sandbox = useTranscriptSandbox(folder);
  const { control, list } = sandbox;
  let listed: ReadonlyMap<string, Listed> | undefined;

  afterAll(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });

  test('every operation has transcripts', async () => {
    expect(Object.keys(operations)).toEqual([...(await listOperations()).keys()]);
  });

  test.each(Object.keys(operations))('%s', async (operation) => {
    const file = path.join(import.meta.dirname, 'approved', `${operation}.txt`);
    const texts: string[] = [];
    if (!restarts) {
      for (const name of await listCases(operation)) texts.push(await (await begin(operation, name))());
      return expect(texts.join('\n')).toMatchFileSnapshot(file);
    }
    const ends: (() => Promise<string>)[] = [];
    for (const name of await listCases(operation)) ends.push(await begin(operation, name));
    await sandbox.restart();
    for (const end of ends) texts.push(await end());
    expect(toStoredLines(texts.join('\n'))).toEqual(toStoredLines(readFileSync(file, 'utf8')));
  });

  /** Returns all operations, as the sandbox lists them. */
  async function listOperations(): Promise<ReadonlyMap<string, Listed>> {
    if (listed) return listed;
    const { items }: { readonly items: readonly Listed[] } = await control('GET', '/catalog');
    listed = new Map(items.map((one) => [one.operation, one]));
    return listed;
  }

  /** Returns the names of the cases that apply to an operation. */
  async function listCases(operation: string): Promise<readonly string[]> {
    const applies = {
      all: true,
      updates: operations[operation]?.before !== undefined,
      callbacks: (await listOperations()).get(operation)?.mode === 'async',
    };
    return Object.keys(cases).filter((name) => applies[cases[name]?.for ?? 'all']);
  }

  /** Sends the requests of a case. Returns the function that advances the clock and returns the transcript. */
  async function begin(operation: string, name: string): Promise<() => Promise<string>> {
    const one = cases[name] as Case;
    const project = `${operation}-${name}`;
    const { bodies: kind = '', before } = operations[operation] ?? {};
    const earlier: Played[] = [];
    if (before !== undefined && one.before !== false) earlier.push(await play(before, {}, project, 1));
    const rules = (one.rules ?? []).map((rule, index) => ({ name: `rule ${index + 1}`, ...rule }));
    if (rules.length > 0)
      await control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'transcript', rules }] });
    // The last change before the requests: the events of the case follow it.
    await control('PUT', `/projects/${project}/callback-endpoint`, { url: `${receiver.url()}/${project}` });
    await sandbox.takeEvents(project, 'callback-endpoint');
    const mistakes = Object.keys(bodies[kind] ?? {}).slice(2);
    const sends = one.send === 'every mistake' ? mistakes.map((body): Send => ({ body })) : one.send;
    const all = [...earlier];
    for (const send of sends) all.push(await play(operation, send, project, all.length + 1));
    return async () => {
      receiver.answer(...(one.receiver ?? []));
      const head = [`== ${name}`, ...rules.map((rule) => `rule: ${JSON.stringify(rule)}`)];
      return [...head, ...(await end(project, all, earlier.length)), ''].join('\n');
    };
  }

  /** Sends one request. `number` is its number in the project. */
  async function play(operation: string, send: Send, project: string, number: number): Promise<Played> {
    const { method: usual = '', path: template = '' } = (await listOperations()).get(operation) ?? {};
    const values: Readonly<Record<string, string>> = { ...params, projectId: project };
    const url = template.replace(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? '') + (send.suffix ?? '');
    const text = send.text ?? JSON.stringify(bodies[operations[operation]?.bodies ?? '']?.[send.body ?? 'valid']);
    const given = { host: 'localhost', apikey: 'sandbox-key', 'content-type': 'application/json', ...send.headers };
    const { method = usual, hangs = false } = send;
    const sent = { ...given, 'content-length': String(Buffer.byteLength(text)), connection: 'close' };
    const headers = Object.fromEntries(Object.entries(sent).flatMap(([name, value]) => (value ? [[name, value]] : [])));
    const awaited = `/projects/${project}/requests?await=10s&min=${number}&limit=1`;
    const giveUp = hangs ? () => control('GET', awaited) : undefined;
    const came = await sandbox.withoutDelays(() => exchange(sandbox.url(), { method, url, headers, text }, giveUp));
    return { operation, send, method, url, headers, text, ...came };
  }

  /** Runs what is pending. Returns the lines about a project from its exchange `from`, and deletes its data. */
  async function end(project: string, all: readonly Played[], from: number): Promise<readonly string[]> {
    const base = `/projects/${project}`;
    const advanced = await control('POST', `${base}/clock/advance`, { until: 'idle' });
    const { counts } = await control('GET', base);
    const rows = restarts ? [] : await list(`${base}/requests`);
    if (!restarts) expect(rows.length).toBe(all.length);
    const lines = rows.flatMap((row, index) => (index < from ? [] : toExchangeLines(all, index, row)));
    lines.push(`advance: ${JSON.stringify(advanced)}`);
    lines.push(...receiver.received.flatMap((one) => (one.path === `/${project}` ? toReceivedLines(one) : [])));
    lines.push(...(await listFound('callbacks', toCallbackLine)));
    for (const name of ['jobs', 'orders', 'routes', 'users', 'locations'])
      lines.push(...(await listFound(name, (record) => `${name}: ${JSON.stringify(record)}`)));
    lines.push(`counts: ${JSON.stringify(counts)}`);
    await control('POST', `${base}/reset`);
    const events = await sandbox.takeEvents(project, 'reset');
    if (restarts) return lines;
    return [...lines, ...events.map((one) => toEventLine(one, rows.slice(from))), ...(await sandbox.takeCounters())];

    async function listFound(name: string, toLine: (item: Json) => string): Promise<readonly string[]> {
      return counts[name] > 0 ? (await list(`${base}/${name}`)).map(toLine) : [];
    }
  }
}

/** Returns the lines about what the data folder keeps. The journal, events and counters are lost with a server. */
function toStoredLines(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => /^(==|advance|received|\{|callback|jobs|orders|routes|users|locations)/.test(line));
}

/** Writes a request, its response, and its row in the journal. */
function toExchangeLines(all: readonly Played[], index: number, row: Json): readonly string[] {
  const one = all[index] as Played;
  const { send, method, url, headers, text, head, body, ending } = one;
  const shownText = text !== '' && text === all[index - 1]?.text ? '(the same body)' : text;
  const own = Object.keys(send.headers ?? {}).map((name) => `> ${name}: ${headers[name] ?? '(none)'}`);
  const lines = [
    ...(send.body === undefined ? [] : [`-- ${send.body}`]),
    ...[`> ${method} ${url}`, ...own, `> ${shownText}`.trim()],
    ...(head === '' ? [] : [`< ${head.replaceAll('\r\n', '; ')}`]),
    ...(body === '' ? [] : [`< ${body}`]),
    ...(ending === undefined ? [] : [`< (${ending})`]),
    `journal: ${toDifference(toFields(row), expectFields(one))}`,
  ];
  // The id of a request that belongs to no project counts those of the whole server.
  return row['change'] === null ? lines.map((line) => line.replaceAll(String(row['id']), 'req_(server)')) : lines;
}

/** Returns the fields of a row, with only those rules that fired. */
function toFields({ rules, request, response, ...others }: Json): Json {
  const fired = (rules as readonly Json[]).flatMap((one) => (one['fired'] ? [`${one['rule']}: ${one['why']}`] : []));
  const parts = { request, response } as Readonly<Record<string, Json>>;
  const inner = Object.entries(parts).flatMap(([of, part]) =>
    Object.entries(part).map(([name, value]) => [`${of}.${name}`, value]),
  );
  return { ...others, rules: fired, ...Object.fromEntries(inner) };
}

/** Returns the fields of the row of a request without warnings, rules and effects, which are not worth a line. */
function expectFields({ operation, method, url, headers, text, head, body }: Played): Json {
  const lines = head.split('\r\n').slice(1);
  const { 'content-length': _, ...received } = Object.fromEntries(lines.map((line) => line.split(': ')));
  const status = Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1]);
  const shown = 'apikey' in headers ? { ...headers, apikey: '***' } : headers;
  return toFields({
    ...{ id: received['x-request-id'], at: startsAt, project: url.split('projects/')[1]?.split('/')[0], operation },
    ...{ method, path: url, status, fault: null, durationMs: 0, warnings: [], rules: [], callbacks: [] },
    entries: { refused: 0, failed: 0, pending: 0 },
    request: { method, url, headers: shown, body: text },
    response: { status, headers: received, body },
  });
}

/** Returns the fields that differ from what is expected, as JSON. */
function toDifference(found: Json, expected: Json): string {
  const names = [...new Set([...Object.keys(found), ...Object.keys(expected)])];
  const differing = names.filter((name) => JSON.stringify(found[name]) !== JSON.stringify(expected[name]));
  return JSON.stringify(Object.fromEntries(differing.map((name) => [name, found[name] ?? null])));
}

/** Writes an event; of a request, its number in the case and the fields that are not those of its row in the journal. */
function toEventLine({ kind, data }: SeenEvent, rows: readonly Json[]): string {
  const index = rows.findIndex(({ id }) => id === data['id']);
  if (index === -1) return `event: ${kind} ${JSON.stringify(data)}`;
  const shared = Object.entries(rows[index] ?? {}).filter(([name]) => name in data);
  return `event: ${kind} ${index + 1} ${toDifference(data, Object.fromEntries(shared))}`;
}

function toReceivedLines({ method, path: url, headers, body }: Received): readonly string[] {
  const shown = Object.entries({ ...headers, host: headers.host?.replace(/:\d+$/, ':PORT') });
  return [`received: ${method} ${url}; ${shown.map(([name, value]) => `${name}: ${value}`).join('; ')}`, body];
}

/** Leaves out of a callback what its receiver shows: its bodies and the headers of its attempts. */
function toCallbackLine({ body: _, attempts, ...others }: Json): string {
  const shown = (attempts as readonly Json[]).map(({ headers: _headers, sent: _sent, ...rest }) => rest);
  return `callback: ${JSON.stringify({ ...others, attempts: shown })}`;
}
