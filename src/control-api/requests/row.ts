/** Shows requests as lines of a table, without headers, bodies and rules. */
import type { JournalEntry } from '../../journal/entry.ts';
import { shownProjectOf } from '../../journal/journal.ts';
import { parseTrace } from '../../lib/trace.ts';
import type { components } from '../../openapi/control.gen.ts';
import type { RequestFacts } from './facts.ts';
import { findReason } from './failures.ts';
import type { LaterEffects } from './later-effects.ts';
import { countEntries } from './outcome.ts';

export type RequestRow = components['schemas']['RequestRow'];

const maxCallbacks = 10;

/** Shows a request as a line of a table. */
export function toRow(entry: JournalEntry, facts: RequestFacts, effects: LaterEffects | undefined): RequestRow {
  const { first, count } = facts.named(entry);
  const callbacks = effects?.callbacks ?? [];
  const reason = findReason(entry, effects);
  return {
    ...toHead(entry),
    ids: [...first],
    idCount: count,
    entries: countEntries(entry, effects, facts),
    warnings: entry.warnings.length,
    scenarios: [...facts.scenarios(entry)],
    callbacks: callbacks.slice(0, maxCallbacks).map(({ id, state }) => ({ id, state })),
    callbackCount: callbacks.length,
    ...(reason !== undefined && { reason }),
  };
}

/** Maximum length of a shown path, in characters: a path can be as long as the head of a request. */
const maxPathLength = 300;

type RequestHead = Pick<
  RequestRow,
  'id' | 'at' | 'project' | 'change' | 'operation' | 'method' | 'path' | 'status' | 'fault' | 'durationMs' | 'traceId'
>;

/** Returns the facts of a request that rows and events show alike. */
export function toHead(entry: JournalEntry): RequestHead {
  const { id, at, operation = null, method, status, fault = null, evidence } = entry;
  const traceId = findTraceId(entry);
  return {
    id,
    at,
    project: shownProjectOf(entry) ?? null,
    change: evidence.change || null,
    operation,
    method,
    path: shownPathOf(entry),
    status,
    fault,
    durationMs: shownDurationOf(entry),
    ...(traceId !== undefined && { traceId }),
  };
}

/** Returns the id of the trace that a request names, if it does so in the form of the specification. */
export function findTraceId({ requestHeaders }: Pick<JournalEntry, 'requestHeaders'>): string | undefined {
  return requestHeaders['traceparent'] === undefined ? undefined : parseTrace(requestHeaders)?.traceId;
}

/** Returns the path of a request without its query, as far as it is shown. */
export function shownPathOf({ url }: JournalEntry): string {
  const queryStart = url.indexOf('?');
  return url.slice(0, queryStart < 0 ? maxPathLength : Math.min(queryStart, maxPathLength));
}

/** Returns the duration of a request in milliseconds, rounded to microseconds. */
export function shownDurationOf({ durationMs }: JournalEntry): number {
  return Math.round(durationMs * 1000) / 1000;
}
