/** Compares a request with an earlier one of its operation: what the client has changed since it last worked. */
import type { JournalEntry } from '../../journal/entry.ts';
import type { Json } from '../../lib/json.ts';
import { toPointer } from '../../lib/pointer.ts';
import type { Schema } from '../handler.ts';
import { readJson } from '../named-records.ts';
import { isSuccess } from './show.ts';

type Difference = Schema<'RequestDifference'>;
type Row = Difference['rows'][number];

/** Maximum number of rows. */
const maxRows = 100;

/** Headers that differ in each request, or that describe the connection. */
const incidental: ReadonlySet<string> = new Set([
  'content-length',
  'host',
  'connection',
  'date',
  'traceparent',
  'tracestate',
  'x-request-id',
]);

/** Returns the last request before `entry` that the API accepted as a whole. */
export function findLastAccepted(entry: JournalEntry, all: readonly JournalEntry[]): JournalEntry | undefined {
  return all.findLast(
    ({ operation, number, status, rejectedCount }) =>
      operation === entry.operation && number < entry.number && isSuccess(status) && rejectedCount === 0,
  );
}

/** `errors`: the places of mistakes in `entry`, which come first. */
export function compareRequests(entry: JournalEntry, base: JournalEntry, errors: readonly string[]): Difference {
  const bodies = [base, entry].every(hasWholeBody) ? compareJson(bodyOf(base), bodyOf(entry), areBothNested) : [];
  const places = new Set(errors);
  const rows = [
    ...compareTexts('', 'url', base.url, entry.url),
    ...compareHeaders(base.requestHeaders, entry.requestHeaders),
    ...bodies.map((row) => ({ part: 'body' as const, ...row })),
  ].map((row) => ({ ...row, isError: isAt(row, places) }));
  const ordered = [...rows.filter(({ isError }) => isError), ...rows.filter(({ isError }) => !isError)];
  return {
    to: { id: base.id, at: base.at, status: base.status },
    rows: ordered.slice(0, maxRows),
    rowCount: rows.length,
  };
}

/**
 * Whether a mistake is at a row, in what it has, or that it has none of what it is missing. Goes up from the row,
 * because thousands of rows and of mistakes are not compared each with each.
 */
function isAt({ part, path }: Row, errors: ReadonlySet<string>): boolean {
  if (part === 'header') return errors.has(`header:${path}`);
  for (let place = path; part === 'body'; place = place.slice(0, place.lastIndexOf('/'))) {
    if (errors.has(place)) return true;
    if (place === '') return false;
  }
  return false;
}

/** Whether the journal has the body: it is not read after a wrong key, for example. */
function hasWholeBody({ requestBody, requestHeaders }: JournalEntry): boolean {
  return requestBody !== undefined || !(Number(requestHeaders['content-length']) > 0);
}

const bodyOf = ({ requestBody }: JournalEntry): unknown => readJson(requestBody?.read().shown);

function compareHeaders(before: JournalEntry['requestHeaders'], after: JournalEntry['requestHeaders']): Row[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => !incidental.has(name))
    .flatMap((name) => compareTexts(name, 'header', before[name], after[name]));
}

function compareTexts(path: string, part: Row['part'], from: string | undefined, to: string | undefined): Row[] {
  return from === to ? [] : [{ part, path, from, to }];
}

type FieldChange = Schema<'FieldChange'>;

/**
 * Compares JSON values. `descends` decides which two values are compared part by part; those of lists by their
 * positions.
 */
export function compareJson(
  from: unknown,
  to: unknown,
  descends: (from: unknown, to: unknown) => boolean,
  path = '',
): FieldChange[] {
  if (!descends(from, to)) return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ path, from, to }];
  const [before, after] = [(from ?? {}) as Json, (to ?? {}) as Json];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
    const place = path + toPointer([key]);
    const [old, own] = [before, after].map((one) => (Object.hasOwn(one, key) ? one[key] : undefined));
    return compareJson(old, own, descends, place);
  });
}

function areBothNested(from: unknown, to: unknown): boolean {
  return isNested(from) && isNested(to) && Array.isArray(from) === Array.isArray(to);
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
