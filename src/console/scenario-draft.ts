/** Writes a scenario that repeats what happened to a request. */
import type { components } from '../openapi/control.gen.ts';
import { readJson } from './format.ts';

type Schemas = components['schemas'];

type FailedEntry = Schemas['FailedEntry'];
type Callback = Pick<Schemas['Callback'], 'body' | 'data' | 'state' | 'operation'> & Partial<Schemas['Callback']>;
type Values = Readonly<Record<string, unknown>>;

interface Rule {
  readonly name: string;
  readonly when: Values;
  readonly then: Values;
}

/**
 * Returns a scenario in which the next requests meet what this one met: its response if it was rejected or failed, its
 * rejected entries, and its entries that failed downstream, with their reasons. `callbacks`: those of the request.
 */
export function toDraft(summary: Schemas['RequestSummary'], callbacks: readonly Callback[] = []): string {
  const { operation, request, id } = summary;
  const rules = isAccepted(summary)
    ? [...rejectedEntries(summary), ...failedEntries(summary, callbacks)]
    : [sameResponse(summary)];
  const note = rules.length === 0 ? '# The request met no failure: choose what the next ones meet.\n' : '';
  const all = rules.length === 0 ? [{ name: 'fails later', when: { operation, item: 1 }, then: someFailure }] : rules;
  return [
    `# Created from ${request.method} ${request.url}`,
    `${note}name: like-${id.replaceAll('_', '-').toLowerCase()}`,
    `description: ${JSON.stringify(`Repeats the failures of request ${id}.`)}`,
    'rules:',
    ...all.flatMap(({ name, when, then }) => [
      `  - name: ${JSON.stringify(name)}`,
      `    when: ${toFlow(when)}`,
      `    then: ${toFlow(then)}`,
    ]),
    '',
  ].join('\n');
}

const someFailure = { fail: 'Address could not be geocoded', after: '2s' };

function isAccepted({ status, fault }: Schemas['RequestSummary']): boolean {
  return status >= 200 && status < 300 && (fault ?? null) === null;
}

/** The whole request met the same: a response, a broken connection, or both. */
function sameResponse({ operation, response, status, fault }: Schemas['RequestSummary']): Rule {
  const body = readJson(response.body) ?? response.body;
  const headers = Object.fromEntries(
    Object.entries(response.headers).filter(([name]) =>
      ['retry-after', ...(typeof body === 'string' ? ['content-type'] : [])].includes(name),
    ),
  );
  const respond = {
    status,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body !== undefined && { body }),
  };
  return {
    name: 'same response',
    when: { operation },
    then: { ...(status > 0 && { respond }), ...(fault && { connection: fault }) },
  };
}

function rejectedEntries(summary: Schemas['RequestSummary']): readonly Rule[] {
  return byReason(summary, failedIn(summary.response)).map(({ reason, item }, index) => ({
    name: `rejected ${index + 1}`,
    when: { operation: summary.operation, item },
    then: { refuse: reason },
  }));
}

/** Entries fail after the same time on the project's clock. A callback that was dropped is dropped again. */
function failedEntries(summary: Schemas['RequestSummary'], callbacks: readonly Callback[]): readonly Rule[] {
  const found = callbacks.flatMap((callback) => {
    const { timestamp, failed } = readMessage(callback);
    const ms = Date.parse(timestamp) - Date.parse(summary.at);
    const after = ms > 0 ? { after: `${ms}ms`.replace(/000ms$/, 's') } : {};
    const dropped = callback.state === 'dropped' ? { callback: { drop: true } } : {};
    return byReason(summary, failed).map(({ reason, item }) => ({
      item,
      then: { fail: reason, ...after, ...dropped },
    }));
  });
  return found.map(({ item, then }, index) => ({
    name: `failed later ${index + 1}`,
    when: { operation: summary.operation, item },
    then,
  }));
}

/** Groups entries by their reason, and selects them by number, because other requests have other ids. */
function byReason(
  { request }: Schemas['RequestSummary'],
  failed: readonly FailedEntry[],
): readonly { readonly reason: string; readonly item: unknown }[] {
  const ids = idsOf(readJson(request.body));
  const groups = new Map<string, string[]>();
  for (const { id, reason } of failed) groups.set(reason, [...(groups.get(reason) ?? []), id]);
  return [...groups].map(([reason, of]) => ({ reason, item: toItem(of, ids) }));
}

/** Returns the condition on entries: their numbers if all are known, otherwise their ids. */
function toItem(failed: readonly string[], ids: readonly string[]): unknown {
  const numbers = failed.map((id) => ids.indexOf(id) + 1);
  const isKnown = numbers.every((number) => number > 0) && new Set(ids).size === ids.length;
  if (isKnown) return numbers.length === 1 ? numbers[0] : numbers;
  const known = failed.filter((id) => id !== '');
  return known.length === 0 ? 1 : { id: known };
}

/** Returns the ids of the entries, in the order in which rules number them: in routes, the jobs of all routes. */
function idsOf(body: unknown): readonly string[] {
  const [list] = Object.values((body ?? {}) as Values).filter((value) => Array.isArray(value));
  const entries: readonly unknown[] = list ?? [body];
  return entries.flatMap((entry) => {
    const { id, jobs } = (entry ?? {}) as { readonly id?: unknown; readonly jobs?: unknown };
    return Array.isArray(jobs) ? jobs.map((job) => String(job?.id ?? '')) : [String(id ?? '')];
  });
}

/** Writes a value on one line, as YAML with unquoted keys. */
function toFlow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toFlow).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, inner]) => `${toKey(key)}: ${toFlow(inner)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

function toKey(key: string): string {
  return /^[a-z][\w-]*$/i.test(key) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(key) ? key : JSON.stringify(key);
}

/** Reads the entries that a response rejects. A scenario can send any body, so it is checked. */
function failedIn({ body, problem }: Schemas['JournalledResponse']): readonly FailedEntry[] {
  const { failed } = (problem ?? readJson(body) ?? {}) as { readonly failed?: unknown };
  return Array.isArray(failed) ? failed : [];
}

interface Message {
  readonly timestamp: string;
  readonly failed?: readonly FailedEntry[];
}

/** Reads a callback, also one whose body the profile changed. */
function readMessage({ body, data }: Callback): Required<Message> {
  const { timestamp, data: inner } = body as { readonly timestamp: string; readonly data: Omit<Message, 'timestamp'> };
  const message: Message = data ?? { ...inner, timestamp };
  return { timestamp: message.timestamp, failed: message.failed ?? [] };
}
