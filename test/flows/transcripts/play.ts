/** Plays a transcript: requests, with everything that each response has. `README.txt` describes the format. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Response } from 'supertest';
import { expect, test } from 'vitest';
import type { OptionTexts } from '../../../src/config/options.ts';
import { writeProfile } from '../../harness/profile.ts';
import { type TestSandbox, useSandbox } from '../../harness/sandbox.ts';
import { withProfile } from '../profile-steps.ts';
import { type Part, parseTranscript, type Section, type Step } from './parse.ts';

/** Tests that the sandbox responds as the file says. With `-u`, writes the file. */
export function testTranscript(file: string): void {
  const sections = parseTranscript(readFileSync(file, 'utf8')).map((section) => ({
    ...section,
    sandbox: start(section),
  }));

  test('has the responses of the sandbox', async () => {
    let played = '';
    for (const { text, parts, sandbox } of sections) {
      played += text;
      for (const part of parts) played += part.heading + (await play(sandbox, part));
    }
    await expect(`${played.trimEnd()}\n`).toMatchFileSnapshot(file);
  });
}

function start({ options: { profile, overlay, scenario, ...options } }: Section): TestSandbox {
  const scenarioYaml = scenario === undefined ? {} : { scenarioYaml: JSON.stringify(scenario) };
  const texts = { clock: startsAt, ...scenarioYaml, ...options } as OptionTexts;
  if (overlay === undefined) return profile === undefined ? useSandbox(texts) : withProfile(profile as object, texts);
  const file = writeProfile(profile as object);
  const document = { overlay: '1.0.0', info: { title: 'Changes', version: '1' }, actions: overlay };
  writeFileSync(path.join(path.dirname(file), 'changes.overlay.yaml'), JSON.stringify(document));
  return useSandbox({ profile: file, ...texts });
}

/** Plays a part in an empty sandbox. Returns its steps with what came of them. */
async function play(sandbox: TestSandbox, { heading, steps }: Part): Promise<string> {
  await sandbox.control('POST', '/reset');
  const ids: string[] = [];
  let played = '';
  for (const step of steps) {
    try {
      const lines = await take(sandbox, step, ids);
      played += step.text + lines.map((line) => `  => ${nameRequests(line, ids)}\n`).join('');
    } catch (error) {
      throw new Error(`${heading}${step.text}`, { cause: error });
    }
  }
  return played;
}

/** Replaces the ids of requests by their numbers: those of requests without a project count all requests of the server. */
function nameRequests(line: string, ids: readonly string[]): string {
  return ids.reduce((text, id, index) => text.replaceAll(id, `{request-${index + 1}}`), line);
}

/** Takes a step. `ids`: those of the requests to the API so far. */
async function take(sandbox: TestSandbox, step: Step, ids: string[]): Promise<readonly string[]> {
  switch (step.kind) {
    case 'request':
      return request(sandbox, step, ids);
    case 'advance': {
      const { processed, delivered, pending } = await sandbox.advance(step.project, step.by);
      return [`processed: ${processed}, delivered: ${delivered}, pending: ${pending}`];
    }
    case 'list': {
      const items = await sandbox.items(step.project, step.name);
      return items.length === 0 ? ['none'] : items.map(toItemLine[step.name] ?? toRecordLine);
    }
    default:
      return step satisfies never;
  }
}

const startsAt = '2026-03-02T09:30:00.000Z';
const toJson = (value: unknown): string => JSON.stringify(value) ?? 'none';
const toRecordLine = ({ createdAt, updatedAt, ...fields }: Record<string, unknown>): string =>
  toJson({
    ...fields,
    ...(createdAt !== startsAt && { createdAt }),
    ...(updatedAt !== startsAt && { updatedAt }),
  });

/** What a line has of an item whose other fields are not of interest. */
const toItemLine: Readonly<Record<string, (item: Record<string, unknown>) => string>> = {
  callbacks: ({ id, type, state, body }) => toJson({ id, type, state, data: at(body, 'data') }),
  requests: ({ status, operation, fault }) => toJson({ status, operation, fault: fault ?? undefined }),
};

async function request(
  sandbox: TestSandbox,
  { method, path: template, body, headers, shown }: Extract<Step, { kind: 'request' }>,
  ids: string[],
): Promise<readonly string[]> {
  const url = template.replace(/\{request-(\d+)\}/g, (_all, number: string) => ids[Number(number) - 1] ?? '');
  const control = '/_sandbox';
  const response = url.startsWith(control)
    ? await sandbox.control(method, url.slice(control.length), body, headers as Record<string, string>)
    : await sandbox.api(method, url, body, headers);
  const id: string | undefined = response.headers['x-request-id'];
  if (id !== undefined) ids.push(id);
  const own = Object.entries(response.headers as Record<string, string>).filter(
    ([name, value]) => !hidden.has(name) && !(name === 'content-type' && value === 'application/json'),
  );
  const fields = shown.map((field) => `${field}: ${toJson(at(response.body, field))}`);
  return [
    ...(shown.length > 0 ? [String(response.status), ...fields] : toBodyLines(response)),
    ...own.map(([name, value]) => `${name}: ${value}`),
    ...(await listWarnings(sandbox, response)),
  ];
}

/** Returns the value at a path of names, or of each item at `*`. */
function at(value: unknown, field: string): unknown {
  const [name = '', ...rest] = field.split('.');
  const inner = (one: unknown) => (rest.length > 0 ? at(one, rest.join('.')) : one);
  if (name === '*') return Object.values(value ?? {}).map(inner);
  return inner((value as Record<string, unknown> | undefined)?.[name]);
}

/** Returns the status and the body; the items of a list each have a line. */
function toBodyLines({ status, text = '', body }: Response): readonly string[] {
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
  ...['content-encoding', 'vary', 'x-request-id', 'x-sandbox-warnings'],
]);

/** Returns the warnings of a request, which the journal has. */
async function listWarnings(sandbox: TestSandbox, { headers }: Response): Promise<readonly string[]> {
  if (headers['x-sandbox-warnings'] === undefined) return [];
  const { body } = await sandbox.control('GET', `/requests/${headers['x-request-id']}`);
  expect(body.warnings.length).toBe(Number(headers['x-sandbox-warnings']));
  return body.warnings.map((text: string) => `warning: ${text}`);
}
