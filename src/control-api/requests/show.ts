/** Shows requests of the journal: whole, as lines of a table, and as what went wrong with them. */
import type { JournalEntry } from '../../journal/entry.ts';
import { shownProjectOf } from '../../journal/journal.ts';
import { toWarningText } from '../../lib/problem.ts';
import { parseTrace } from '../../lib/trace.ts';
import type { Explained } from '../../scenarios/explain.ts';
import type { Schema } from '../handler.ts';
import { parseBody } from '../named-records.ts';
import type { LaterEffects } from './later-effects.ts';

export type RequestRow = Schema<'RequestRow'>;
export type RequestProblem = Schema<'RequestProblem'>;
type RequestSummary = Schema<'RequestSummary'>;
type Violation = Schema<'Violation'>;

/** Maximum length of a shown path, in characters: a path can be as long as the head of a request. */
const maxPathLength = 300;

type RequestHead = Pick<
  RequestRow,
  'id' | 'at' | 'project' | 'change' | 'operation' | 'method' | 'path' | 'status' | 'fault' | 'durationMs' | 'traceId'
>;

/** Returns the facts of a request that rows and events show alike. */
export function toHead(entry: JournalEntry): RequestHead {
  const { id, at, operation = null, method, status, fault = null, evidence } = entry;
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
    traceId: findTraceId(entry),
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

/** Maximum numbers of ids and of callbacks in a row. */
const maxRowIds = 3;
const maxRowCallbacks = 10;

/** Shows a request as a line of a table. */
export function toRow(entry: JournalEntry, effects: LaterEffects | undefined): RequestRow {
  const callbacks = effects?.callbacks ?? [];
  return {
    ...toHead(entry),
    ...showIds(entry),
    entries: countEntries(entry, effects),
    warnings: entry.warnings.length,
    scenarios: scenariosOf(entry),
    callbacks: callbacks.slice(0, maxRowCallbacks).map(({ id, state }) => ({ id, state })),
    callbackCount: callbacks.length,
    reason: findReason(entry, effects),
  };
}

/** Returns the first ids that a request names, and how many different ones there are. */
export function showIds({ named }: Pick<JournalEntry, 'named'>): Pick<RequestRow, 'ids' | 'idCount'> {
  const [only] = named?.ids ?? [];
  // Most requests name one, and each request is an event.
  if (only !== undefined && only !== '' && named?.ids.length === 1) return { ids: [only], idCount: 1 };
  const different = new Set(named?.ids);
  different.delete('');
  return { ids: [...different].slice(0, maxRowIds), idCount: different.size };
}

const none: readonly string[] = [];

/** Returns the names of the scenarios of which a rule fired. */
export function scenariosOf({ fired }: Pick<JournalEntry, 'fired'>): readonly string[] {
  return fired.length === 0 ? none : [...new Set(fired.map(({ scenario }) => scenario))];
}

/** Counts the entries of a request. */
export function countEntries(
  { status, rejectedCount, named }: JournalEntry,
  { failed = 0, pending = 0 }: Partial<LaterEffects> = {},
): Schema<'RowEntryCounts'> {
  const entries = isSuccess(status) ? (named?.ids.length ?? 0) : 0;
  return { accepted: Math.max(0, entries - rejectedCount - failed), refused: rejectedCount, failed, pending };
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The outcomes, in the order of their bits in a set of outcomes. */
const outcomes = ['accepted', 'rejected', 'failed', 'pending', 'warned', 'faulted'] as const;

/** Returns the names of the outcomes in a set. */
export function outcomesIn(set: number): readonly string[] {
  return outcomes.filter((_, bit) => set & (1 << bit));
}

/** Returns the outcomes of a request as a set of bits, because lists of 50,000 requests count them. */
export function outcomesOf(entry: JournalEntry, effects: LaterEffects | undefined): number {
  const { status, rejectedCount, warnings, fault } = entry;
  const { failed = 0, pending = 0 } = effects ?? {};
  let set = 0;
  if (isSuccess(status) && (rejectedCount + failed === 0 || countEntries(entry, effects).accepted > 0)) set |= 1;
  if ((status >= 400 && status < 500) || rejectedCount > 0) set |= 2;
  if (status >= 500 || status === 0 || failed > 0) set |= 4;
  if (pending > 0) set |= 8;
  if (warnings.length > 0) set |= 16;
  if (fault !== undefined) set |= 32;
  return set;
}

type Failures = Pick<RequestProblem, 'message' | 'errors' | 'failed'>;

/** Reads what a response rejects. A scenario can send any body, so every field is checked. */
export function readFailures(entry: Omit<JournalEntry, 'number'>): Failures {
  const { status, rejectedCount, problem, responseBody, applied, observedFailure } = entry;
  if (status < 400 && rejectedCount === 0) return { message: '', errors: [], failed: [] };
  const { message, errors } = problem ?? parseBody(responseBody);
  return {
    message: typeof message === 'string' ? message : '',
    errors: Array.isArray(errors) ? errors.filter(isViolation) : [],
    // A response that a scenario wrote lists none of them.
    failed: observedFailure?.respond ? [] : (applied[0]?.failed ?? []).map(({ id, reason }) => ({ id, reason })),
  };
}

function isViolation(value: Partial<Violation> | null): value is Violation {
  return typeof value?.path === 'string' && typeof value.message === 'string';
}

/** Maximum length of a reason in a row, in characters. */
const maxReason = 200;

/** Returns the first reason why a request was rejected or failed; undefined without one. */
function findReason(entry: JournalEntry, effects: LaterEffects | undefined): string | undefined {
  const { message, errors, failed } = readFailures(entry);
  const [error] = errors;
  const [first = effects?.callbacks.find(({ body }) => body.data.failed.length > 0)?.body.data.failed[0]] = failed;
  const text = error ? `${error.path} ${error.message}` : (first?.reason ?? message);
  return text === '' ? undefined : text.slice(0, maxReason);
}

/** Maximum number of warnings, rules, mistakes and entries of one request: thousands of entries can fail for one reason. */
const maxListed = 20;

/** Shows what went wrong with a request: the reasons in its response and its callbacks, without any body. */
export function toRequestProblem(entry: JournalEntry, effects: LaterEffects | undefined): RequestProblem {
  const { change: _, durationMs: __, ...head } = toHead(entry);
  const { message, errors, failed } = readFailures(entry);
  const reported = (effects?.callbacks ?? []).flatMap(({ id: callback, body }) =>
    body.data.failed.slice(0, maxListed).map(({ id, reason }) => ({ callback, at: body.timestamp, id, reason })),
  );
  return {
    ...head,
    warnings: entry.warnings.slice(0, maxListed).map(toWarningText),
    rules: listFired(entry).slice(0, maxListed),
    message,
    errors: errors.slice(0, maxListed),
    failed: failed.slice(0, maxListed),
    failedCount: failed.length,
    reported: reported.slice(0, maxListed),
    reportedCount: effects?.failed ?? 0,
  };
}

/** Lists the rules that fired on a request. */
export function listFired(entry: JournalEntry | undefined): RequestSummary['rules'] {
  if (!entry || entry.fired.length === 0) return [];
  return entry
    .explain()
    .filter(({ fired }) => fired)
    .map(toRuleVerdict);
}

/** Shows how far a rule came with a request. */
function toRuleVerdict({ forAll: _, ...verdict }: Explained): RequestSummary['rules'][number] {
  return verdict;
}

const hiddenWhy = 'not shown to an API key: the rule is for all projects, and no active scenario of the library has it';

/** Maximum size of a shown body, in bytes; longer ones are truncated. */
const maxShownBytes = 256 * 1024;

/** Shows a request whole, with the explained rules. `isHidden`: whether those of a scenario for all projects are hidden. */
export function show(
  entry: JournalEntry,
  effects: LaterEffects | undefined,
  withBodies: boolean,
  isHidden: (scenario: string) => boolean,
): RequestSummary {
  const explained = entry
    .explain()
    .map((one) => (one.forAll && !one.fired && isHidden(one.scenario) ? { ...one, why: hiddenWhy } : one));
  const toBody = (body: string | undefined) => (withBodies ? showBody(body) : {});
  const { callbacks = [], failed = 0, pending = 0 } = effects ?? {};
  return {
    ...toHead(entry),
    path: entry.url.split('?')[0] ?? '',
    warnings: entry.warnings.map(toWarningText),
    entries: { refused: entry.rejectedCount, failed, pending },
    rules: explained.map(toRuleVerdict),
    rulesOmitted: entry.ruleCount - explained.length || undefined,
    request: {
      method: entry.method,
      url: entry.url,
      headers: entry.requestHeaders,
      ...toBody(entry.requestBody?.read().shown),
    },
    response: {
      status: entry.status,
      headers: entry.responseHeaders,
      ...toBody(entry.responseBody),
      problem: withBodies ? entry.problem : undefined,
    },
    callbacks: callbacks.map(({ id }) => id),
  };
}

function showBody(body = ''): { body?: string; bodyCut?: number } {
  if (body === '') return {};
  const size = Buffer.byteLength(body);
  if (size <= maxShownBytes) return { body };
  const first = Buffer.from(body.slice(0, maxShownBytes)).subarray(0, maxShownBytes);
  // As of a stream, the bytes of a character that is cut in two are left out.
  const shown = new TextDecoder('utf-8', { ignoreBOM: true }).decode(first, { stream: true });
  const cut = `${shown}… (truncated: ${size.toLocaleString('en')} bytes in total)`;
  return { body: cut, bodyCut: size };
}
