/** Plays a transcript: requests, with everything that each response has. `README.txt` describes the format. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Response } from 'supertest';
import { expect, test } from 'vitest';
import type { OptionTexts } from '../../../src/config/options.ts';
import type { CoverageReport } from '../../../src/coverage/report.ts';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { createFolder } from '../../harness/folder.ts';
import { writeProfile } from '../../harness/profile.ts';
import { type Received, type Receiver, useReceiver } from '../../harness/receiver.ts';
import { type TestSandbox, useSandbox } from '../../harness/sandbox.ts';
import { createSwiftWall } from '../../harness/swift-wall.ts';
import { verify } from '../callbacks/disturbance-steps.ts';
import { failLater, type ShownCallback } from '../callbacks/steps.ts';
import { withProfile } from '../profile-steps.ts';
import { replay } from '../replay-steps.ts';
import { sight } from '../sight.ts';
import { type Part, parseTranscript, type Section, type Step } from './parse.ts';

/**
 * Tests that the sandbox responds as the file says. With `-u`, writes the file. `select` returns the parts whose
 * recordings are replayed too; default: all.
 */
export function testTranscript(
  file: string,
  select: (parts: readonly Part[]) => readonly Part[] = (parts) => parts,
): void {
  const receiver = useReceiver();
  const sections = parseTranscript(readFileSync(file, 'utf8')).map((section) => ({
    ...section,
    sandbox: start(section),
  }));

  test('has the responses of the sandbox', async () => {
    let played = '';
    const replayed = select(sections.flatMap(({ parts }) => parts));
    for (const { text, parts, sandbox, options } of sections) {
      played += text;
      for (const part of parts) {
        played += part.heading + (await play({ sandbox, receiver, options, ids: [] }, part));
        if (replayed.includes(part) && !part.heading.includes('# not replayed'))
          await replayAll(sandbox, part, options);
      }
    }
    await expect(`${played.trimEnd()}\n`).toMatchFileSnapshot(file);
  });
}

function start({ options: { profile, overlay, swift, ...options } }: Section): TestSandbox {
  const texts = { clock: startsAt, ...toTexts(options) };
  if (swift) return useSandbox(texts, shippedProfile, createSwiftWall(5000));
  if (overlay === undefined) return profile === undefined ? useSandbox(texts) : withProfile(profile as object, texts);
  const file = writeProfile(profile as object);
  const document = { overlay: '1.0.0', info: { title: 'Changes', version: '1' }, actions: overlay };
  writeFileSync(path.join(path.dirname(file), 'changes.overlay.yaml'), JSON.stringify(document));
  return useSandbox({ profile: file, ...texts });
}

/** Writes options as those of the program. `data` becomes a folder of its own. */
function toTexts({ scenario, data, ...options }: Readonly<Record<string, unknown>>): OptionTexts {
  return {
    ...(scenario !== undefined && { scenarioYaml: JSON.stringify(scenario) }),
    ...(data !== undefined && { data: createFolder() }),
    ...options,
  };
}

/** What the steps of a part use. `ids`: those of the requests to the API so far. */
interface Stage {
  readonly sandbox: TestSandbox;
  readonly receiver: Receiver;
  readonly options: Section['options'];
  readonly ids: string[];
}

/** Plays a part in an empty sandbox. Returns its steps with what came of them. */
async function play(stage: Stage, { heading, steps }: Part): Promise<string> {
  const authorization = `Bearer ${stage.options['adminToken']}`;
  expect((await stage.sandbox.control('POST', '/reset', undefined, { authorization })).status).toBe(200);
  stage.receiver.take();
  let played = '';
  for (const step of steps) {
    try {
      const lines = await take(stage, step);
      played += step.text + lines.map((line) => `  => ${hideChanging(line, stage)}\n`).join('');
    } catch (error) {
      throw new Error(`${heading}${step.text}`, { cause: error });
    }
  }
  return played;
}

/** Each project replays with the same responses and callbacks. */
async function replayAll(sandbox: TestSandbox, { heading }: Part, options: Section['options']): Promise<void> {
  const headers = { authorization: `Bearer ${options['adminToken']}` };
  const ask = (path: string) => sandbox.control('GET', path, undefined, headers);
  for (const { id } of (await ask('/projects?limit=1000')).body.items as readonly Named[]) {
    const { body } = await ask(`/projects/${encodeURIComponent(id)}/recording`);
    if (body.complete) expect((await replay(body)).differences, heading).toEqual([]);
  }
}

/** Replaces the ids of requests by their numbers, since those without a project count all requests of the server. */
function hideChanging(line: string, { ids, receiver }: Stage): string {
  const text = line.replaceAll(receiver.url(), '{receiver}');
  return ids.reduce((rest, id, index) => rest.replaceAll(id, `{request-${index + 1}}`), text);
}

async function take(stage: Stage, step: Step): Promise<readonly string[]> {
  const { sandbox, receiver, ids } = stage;
  switch (step.kind) {
    case 'request':
      return request(stage, step);
    case 'fail':
      for (const name of step.names) ids.push(await failLater(sandbox, 'p', name));
      return [];
    case 'restart':
      await sandbox.restart(toTexts(step.options));
      return [];
    case 'receiver':
      receiver.answer(...step.answers);
      await sandbox.control('PUT', '/projects/p/callback-endpoint', { url: receiver.url() });
      return [];
    case 'advance': {
      const { processed, delivered, pending } = await sandbox.advance(step.project, step.by);
      return [`processed: ${processed}, delivered: ${delivered}, pending: ${pending}`];
    }
    case 'list': {
      const lines = await list(stage, step);
      return lines.length === 0 ? ['none'] : lines;
    }
    default:
      return step satisfies never;
  }
}

async function list({ sandbox, receiver, ids }: Stage, { name, project }: Extract<Step, { kind: 'list' }>) {
  if (name === 'received') return receiver.take().map(toReceivedLine);
  if (name === 'why') return toWhyLines((await sandbox.control('GET', `/requests/${ids.at(-1)}`)).body);
  if (name === 'coverage') return toCoverageLines((await sandbox.control('GET', `/projects/${project}/coverage`)).body);
  const items = await sandbox.items(project, name === 'attempts' ? 'callbacks' : name);
  return items.map(toItemLine[name] ?? toRecordLine);
}

const startsAt = '2026-03-02T09:30:00.000Z';
const toJson = (value: unknown): string => JSON.stringify(value) ?? 'none';
const toRecordLine = ({ createdAt, updatedAt, ...fields }: Record<string, unknown>): string =>
  toJson({
    ...fields,
    ...(createdAt !== startsAt && { createdAt }),
    ...(updatedAt !== startsAt && { updatedAt }),
  });

/** Returns the operations that succeeded, and the failures and conditions of callbacks that occurred, with their counts. */
function toCoverageLines({ items, callbackItems }: CoverageReport): readonly string[] {
  return [
    ...items.flatMap(({ operation, succeeded, failures }) => [
      ...(succeeded > 0 ? [`${operation}: ${succeeded}`] : []),
      ...failures.filter(({ met }) => met).map(({ kind, count }) => `${operation} ${kind}: ${count}`),
    ]),
    ...callbackItems.flatMap(({ type, conditions }) =>
      conditions.filter(({ met }) => met).map(({ kind, count, taken }) => `${type} ${kind}: ${taken} of ${count}`),
    ),
  ];
}

/** Returns the ids that a callback names. */
function toNames(body: { readonly data: { readonly failed?: Named[]; readonly succeeded?: Named[] } }): string {
  const { failed = [], succeeded = [] } = body.data;
  return [...failed, ...succeeded].map(({ id }) => id).join(' and ');
}

interface Named {
  readonly id: string;
}

/** Returns the path of a received callback, what it names, and what a receiver's library says of it. */
function toReceivedLine(received: Received): string {
  const { path: at, body } = received;
  return `${at} ${isJson(body) ? toNames(JSON.parse(body)) : 'malformed'}: ${verify(received)}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns what a callback names, its state, and the result, the time and the cause of each attempt. */
function toAttemptsLine({ body, state, attempts }: ShownCallback): string {
  const texts = attempts.map(({ at, cause, status, error }) => {
    const result = `${status ?? error ?? 'stored'} at ${at.slice(0, -1).replace('2026-03-02T', '')}`;
    return cause === 'schedule' ? result : `${cause} ${result}`;
  });
  return `${toNames(body)} ${state}: ${texts.join(', ') || 'no attempt'}`;
}

/** What a line has of an item whose other fields are not of interest. */
const toItemLine: Readonly<Record<string, (item: Record<string, unknown>) => string>> = {
  attempts: (item) => toAttemptsLine(item as unknown as ShownCallback),
  callbacks: ({ id, type, state, body }) => toJson({ id, type, state, data: at(body, 'data') }),
  requests: ({ status, operation, fault }) => toJson({ status, operation, fault: fault ?? undefined }),
};

type Request = Extract<Step, { kind: 'request' }>;

async function request(stage: Stage, step: Request): Promise<readonly string[]> {
  const { times, shown } = step;
  if (shown.includes('connection')) return connect(stage, step);
  const statuses: number[] = [];
  let response = await send(stage, step, 1);
  for (let n = 2; n <= times; n += 1) {
    statuses.push(response.status);
    response = await send(stage, step, n);
  }
  const own = Object.entries(response.headers as Record<string, string>).filter(
    ([name, value]) => !hidden.has(name) && !(name === 'content-type' && value === 'application/json'),
  );
  const fields = shown.flatMap((field) => toFieldLines(field, at(response.body, field)));
  return [
    ...(times > 1 ? [`before: ${statuses.join(' ')}`] : []),
    ...(shown.length > 0 ? [String(response.status), ...fields] : toBodyLines(response)),
    ...own.map(([name, value]) => `${name}: ${value}`),
    ...(await listWarnings(stage.sandbox, response)),
  ];
}

/** Sends a request; `n` is its number in its step. */
async function send(
  { sandbox, receiver, ids, options }: Stage,
  { method, path: template, body: given, headers }: Request,
  n: number,
): Promise<Response> {
  const callbacks = template.includes('{callback-') ? await sandbox.items('p', 'callbacks') : [];
  const known = { request: ids, callback: callbacks.map(({ id }) => id as string) };
  const url = template.replace(
    /\{(request|callback)-(\d+)\}/g,
    (_all, kind: keyof typeof known, number: string) => known[kind][Number(number) - 1] ?? '',
  );
  const text = JSON.stringify(given)?.replaceAll('{receiver}', receiver.url()).replaceAll('{n}', String(n));
  const body = text === undefined ? undefined : JSON.parse(text);
  const control = '/_sandbox';
  const ask = () => {
    if (url.startsWith(control))
      return sandbox.control(method, url.slice(control.length), body, headers as Record<string, string>);
    return options['swift']
      ? sendUnchecked(sandbox, method, url, body, headers)
      : sandbox.api(method, url, body, headers);
  };
  const response = await ask();
  const id: string | undefined = response.headers['x-request-id'];
  if (id !== undefined) ids.push(id);
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
  const text = await response.text();
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  const found = { type, text, body: type === 'application/json' ? JSON.parse(text) : {} };
  return { status: response.status, ...found, headers: Object.fromEntries(response.headers) } as Response;
}

/** Sends requests whose connections may break. Returns a line for each: its status, its end, and its body if it is whole. */
async function connect(
  { sandbox, ids }: Stage,
  { times, method, path: url, body: given, headers }: Request,
): Promise<readonly string[]> {
  const all = { ...usual, ...(headers as Record<string, string>) };
  const lines: string[] = [];
  for (let n = 1; n <= times; n += 1) {
    const body = JSON.stringify(given).replaceAll('{n}', String(n));
    const seen = await sight(sandbox, 'p', sandbox.url() + url, { method, headers: all, body }, ['hang']);
    ids.push(seen.entry.id);
    lines.push(`${seen.status} ${seen.connection} ${seen.text}`.trim());
  }
  return lines;
}

/** Returns why each rule did or did not fire on a request. All projects have those of magic ids. */
function toWhyLines({ rules }: { readonly rules: readonly Record<string, string>[] }): readonly string[] {
  const own = rules.filter(({ scenario, why }) => scenario !== 'magic-ids' || why?.startsWith('matched'));
  return own.map(({ scenario, rule, why }) => `${scenario} / ${rule}: ${why}`);
}

/** Returns the line of a field; the items of a long list each have a line of their own. */
function toFieldLines(field: string, value: unknown): readonly string[] {
  const text = toJson(value);
  if (!Array.isArray(value) || text.length < 100) return [`${field}: ${text}`];
  return [`${field}:`, ...value.map((item) => `- ${toJson(item)}`)];
}

/** Returns the value at a path of names, or of each item at `*`. */
function at(value: unknown, field: string): unknown {
  const [name = '', ...rest] = field.split('.');
  const inner = (one: unknown) => (rest.length > 0 ? at(one, rest.join('.')) : one);
  if (name === '*') return Object.values(value ?? {}).map(inner);
  return inner((value as Record<string, unknown> | undefined)?.[name]);
}

/** Returns the status and the body; the items of a list each have a line, as the lines of YAML. */
function toBodyLines({ status, type, text = '', body }: Response): readonly string[] {
  if (type === 'application/yaml')
    return [
      `${status}`,
      ...text
        .trimEnd()
        .split('\n')
        .map((line) => `| ${line}`.trimEnd()),
    ];
  if (!Array.isArray(body?.items) || body.items.length < 2) return [`${status} ${hideMagicIds(text)}`.trim()];
  const { items, ...rest } = body as { readonly items: readonly unknown[] };
  return [`${status} ${toJson(rest)}`, ...items.map((item) => `- ${toJson(item)}`)];
}

/** Leaves out the rules of magic ids, which all projects have. */
function hideMagicIds(text: string): string {
  return text.replace(/,?\{"scenario":"magic-ids"[^{}]*\}/g, '').replace('"rules":[,', '"rules":[');
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
