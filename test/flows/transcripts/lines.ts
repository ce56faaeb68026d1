/** The lines that a transcript has of a response, and of what the control API lists. */
import type { Response } from 'supertest';
import type { CoverageReport } from '../../../src/coverage/report.ts';
import type { Received } from '../../harness/receiver.ts';
import { type ShownCallback, verify } from '../callbacks/steps.ts';

/** The time of the sandbox at the start. */
export const startsAt = '2026-03-02T09:30:00.000Z';
export const toJson = (value: unknown): string => JSON.stringify(value) ?? 'none';
export const toRecordLine = ({ createdAt, updatedAt, ...fields }: Record<string, unknown>): string =>
  toJson({
    ...fields,
    ...(createdAt !== startsAt && { createdAt }),
    ...(updatedAt !== startsAt && { updatedAt }),
  });

/** Returns the operations that succeeded, and the failures and conditions of callbacks that occurred, with their counts. */
export function toCoverageLines({ items, callbackItems }: CoverageReport): readonly string[] {
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

export interface Named {
  readonly id: string;
}

/** Returns the path of a received callback, what it names, and what a receiver's library says of it. */
export function toReceivedLine(received: Pick<Received, 'path' | 'headers' | 'body'>, secret?: string): string {
  const { path: at, body } = received;
  return `${at} ${isJson(body) ? toNames(JSON.parse(body)) : 'malformed'}: ${verify(received, secret)}`;
}

/** Returns a received callback as it was sent, without the headers of the connection. */
export function toSentLine({ method, path: at, headers, body }: Received): string {
  const { connection: _, host: __, 'content-length': ___, 'user-agent': ____, ...own } = headers;
  return `${method} ${at} ${toJson(own)} ${body}`;
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
export const toItemLine: Readonly<Record<string, (item: Record<string, unknown>) => string>> = {
  attempts: (item) => toAttemptsLine(item as unknown as ShownCallback),
  callbacks: ({ id, type, state, body }) => toJson({ id, type, state, data: at(body, 'data') }),
  requests: ({ status, operation, fault }) => toJson({ status, operation, fault: fault ?? undefined }),
};

/** Returns why each rule did or did not fire on a request. All projects have those of magic ids. */
export function toWhyLines({ rules }: { readonly rules: readonly Record<string, string>[] }): readonly string[] {
  const own = rules.filter(({ scenario, why }) => scenario !== 'magic-ids' || why?.startsWith('matched'));
  return own.map(({ scenario, rule, why }) => `${scenario} / ${rule}: ${why}`);
}

/** Returns the line of a field; the items of a long list each have a line of their own. */
export function toFieldLines(field: string, value: unknown): readonly string[] {
  const text = toJson(value);
  if (!Array.isArray(value) || text.length < 100) return [`${field}: ${text}`];
  return [`${field}:`, ...value.map((item) => `- ${toJson(item)}`)];
}

/** Returns the value at a path of names, or of each item at `*`. */
export function at(value: unknown, field: string): unknown {
  const [name = '', ...rest] = field.split('.');
  const inner = (one: unknown) => (rest.length > 0 ? at(one, rest.join('.')) : one);
  // Several fields of one value.
  if (name.includes('+')) return Object.fromEntries(name.split('+').map((one) => [one, at(value, one)]));
  if (name === '*') return Object.values(value ?? {}).map(inner);
  return inner((value as Record<string, unknown> | undefined)?.[name]);
}

/** Returns the status and the body; the items of a list each have a line, as the lines of YAML. */
export function toBodyLines({ status, type, text = '', body }: Response): readonly string[] {
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
