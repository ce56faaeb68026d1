/** Explains one request: its mistakes, each at its place in the body, and what happened to it, step by step. */
import type { Callback } from '../../callbacks/callback.ts';
import type { JournalEntry } from '../../journal/entry.ts';
import { formatCount } from '../../lib/format.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { Json } from '../../lib/json.ts';
import { fromPointer, valueAt } from '../../lib/pointer.ts';
import { toTimestamp } from '../../lib/time.ts';
import { explainAttempt } from '../callbacks/explain.ts';
import type { Schema } from '../handler.ts';
import { type NamingEntry, parseBody, recordsNamedBy } from '../named-records.ts';
import type { LaterEffects } from './later-effects.ts';
import { readFailures, shownDurationOf } from './show.ts';

type PlacedError = Schema<'PlacedError'>;
type Step = Schema<'RequestStep'>;
type FailedEntry = Schema<'FailedEntry'>;

/** Maximum numbers of what is listed: thousands of entries can fail for one reason. */
const maxErrors = 200;
const maxEntries = 20;
const maxCallbacks = 10;

export interface RequestContext {
  readonly effects: LaterEffects | undefined;
  /** Number of the records that it created or changed. */
  readonly changedCount: number;
  /** The clock of its project; undefined if it reached none. */
  readonly clock: Schema<'Clock'> | undefined;
}

export function explainRequest(entry: JournalEntry, context: RequestContext): Schema<'RequestExplanation'> {
  const { effects, clock } = context;
  const { message, failed } = readFailures(entry);
  const named = [...recordsNamedBy(entry)];
  return {
    message,
    errors: placeErrors(entry, named, effects).slice(0, maxErrors),
    failed: failed.slice(0, maxEntries),
    ids: [...new Set(named.map(({ id }) => id))].slice(0, maxEntries),
    clock,
    steps: listSteps(entry, failed, context),
  };
}

/** Returns the mistakes of the response, the entries that failed at once or later, and the warnings. */
function placeErrors(
  entry: JournalEntry,
  named: readonly NamingEntry[],
  effects: LaterEffects | undefined,
): readonly PlacedError[] {
  const { message, errors, failed } = readFailures(entry);
  const body = parseBody(entry.requestBody?.read().shown);
  const later = (effects?.callbacks ?? []).flatMap((callback) => callback.body.data.failed);
  return [
    ...errors.map(({ path, message: text }): PlacedError => ({ kind: 'mistake', path, message: text })),
    ...(errors.length === 0 && entry.status === 400 ? findSyntaxError(message) : []),
    ...placeFailed(body, named, failed, 'failed'),
    ...placeFailed(body, named, later, 'failedLater'),
    ...entry.warnings.map(({ path, message: text }): PlacedError => ({ kind: 'warning', path, message: text })),
  ];
}

/** Returns the places of what the response rejects. */
export function placesOfErrors(entry: JournalEntry): readonly string[] {
  const all = placeErrors(entry, [...recordsNamedBy(entry)], undefined);
  return all.filter(({ kind }) => kind !== 'warning').map(({ path }) => path);
}

/** A body that is not JSON has only a line and a column as the place of its mistake. */
function findSyntaxError(message: string): readonly PlacedError[] {
  const [, line, column] = /at line (\d+), column (\d+)$/.exec(message) ?? [];
  return line === undefined ? [] : [{ kind: 'mistake', path: '', message, line: Number(line), column: Number(column) }];
}

/** Finds the places of entries by their ids. The n-th failure of an id belongs to the n-th entry with that id. */
function placeFailed(
  body: Json,
  named: readonly NamingEntry[],
  failed: readonly FailedEntry[],
  kind: PlacedError['kind'],
): readonly PlacedError[] {
  const byId = groupBy(named, ({ id }) => id);
  return failed.flatMap(({ id, reason }) => {
    const place = byId.get(id)?.shift()?.place ?? '';
    return reason.split('; ').map((one): PlacedError => {
      const end = one.indexOf(': ');
      const path = `${place}/${one.slice(0, Math.max(0, end))}`;
      if (place !== '' && end > 0 && valueAt(body, fromPointer(path)) !== undefined)
        return { kind, path, message: one.slice(end + 2) };
      return { kind, path: place, message: id === '' ? one : `${id}: ${one}` };
    });
  });
}

/** Returns the steps in the order of their times. */
function listSteps(
  entry: JournalEntry,
  failed: readonly FailedEntry[],
  { effects, changedCount }: RequestContext,
): Step[] {
  const { at, status, applied, evidence } = entry;
  const endAt = toTimestamp(Date.parse(at) + Math.round(shownDurationOf(entry)));
  const pending = effects?.pending ?? 0;
  const times = applied.map(({ atMs }) => atMs);
  const isDeferred = pending > 0 || times.some((ms) => ms > evidence.atMs);
  const [storedMs = evidence.atMs] = applied.filter(({ writes }) => writes.length > 0).map(({ atMs }) => atMs);
  const steps: readonly Step[] = [
    { kind: 'request', at, endAt, status, text: entry.method },
    ...(failed.length > 0 ? [toFailed(at, 'rejected', failed)] : []),
    ...(isDeferred ? [toProcessing(at, pending, Math.max(...times))] : []),
    ...(changedCount > 0
      ? [toMoment('stored', storedMs, `${formatCount(changedCount, 'record')} created or updated`)]
      : []),
    ...(effects?.callbacks ?? []).slice(0, maxCallbacks).flatMap(toCallbackSteps),
  ];
  return steps.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function toMoment(kind: Step['kind'], ms: number, text: string): Step {
  const at = toTimestamp(ms);
  return { kind, at, endAt: at, text };
}

function toFailed(at: string, what: string, failed: readonly FailedEntry[]): Step {
  const text = `${formatCount(failed.length, 'entry', 'entries')} ${what}`;
  return { kind: 'failed', at, endAt: at, text, failed: failed.slice(0, maxEntries), failedCount: failed.length };
}

function toProcessing(at: string, pending: number, endMs: number): Step {
  return pending > 0
    ? { kind: 'processing', at, text: `Processing, ${formatCount(pending, 'entry', 'entries')} pending` }
    : { kind: 'processing', at, endAt: toTimestamp(endMs), text: 'Processing' };
}

function toCallbackSteps({ id: callback, body, attempts, state, dueAt }: Callback): readonly Step[] {
  const { timestamp, data } = body;
  return [
    ...(data.failed.length > 0 ? [{ ...toFailed(timestamp, 'failed', data.failed), callback }] : []),
    ...attempts.map((attempt, index): Step => {
      const { at, status, error, response } = attempt;
      return {
        kind: 'attempt',
        at,
        endAt: toTimestamp(Date.parse(at) + Math.round(response?.durationMs ?? 0)),
        text: explainAttempt(attempt, attempts[index - 1]),
        callback,
        attempt: index + 1,
        status,
        error,
      };
    }),
    ...(state === 'scheduled'
      ? [{ kind: 'due', at: dueAt, text: 'scheduled', callback, attempt: attempts.length + 1 } as const]
      : []),
  ];
}
