/** Applies the lines of a project's log to its state. */
import type { Steps } from '../../../lib/slices.ts';
import { applyWrites, collections, type StoredRecord, type TrailPoint } from '../../../records/records.ts';
import type { Due } from '../../due-list.ts';
import { createDueWork, type DueWork, type ProjectState } from '../../state.ts';
import type { StateValue } from '../format/state-value.ts';
import type { LoggedChanges } from './change-log.ts';
import type { SmallParts } from './saved-mark.ts';

interface Line extends Partial<LoggedChanges> {
  /** Edition of the file that the line continues. Lines of other editions are ignored. */
  readonly of: string;
  /** The line is valid only with the next line. */
  readonly more?: true;
  /** Number of lines that were written together, this one included. Default: 1. */
  readonly lines?: number;
  /** Older lines contain all counts here. */
  readonly set: Partial<SmallParts & Pick<StateValue, 'ruleCounts' | 'requestTallies'>>;
}

/** A line as written by older versions. */
interface OldLine extends Pick<Line, 'of' | 'set'>, Pick<LoggedChanges, 'points' | 'callbacks'> {
  readonly records: Partial<Pick<LoggedChanges, (typeof collections)[number]>>;
  readonly due: Pick<LoggedChanges, 'gone' | 'added'>;
}

/**
 * Applies the lines of this edition.
 * @throws SyntaxError with the number of a bad line that is not at the end
 */
export function* applyLog(state: ProjectState, of: string, lines: Iterable<string>): Steps<void> {
  const due = new Map(Array.from(state.due, (one) => [one.order, one]));
  const readLine = createLineReader(of);
  for (const text of lines) {
    yield;
    // A line without an end was being written when the server was killed; its request has no response.
    if (!text.endsWith('\n')) break;
    for (const line of readLine(text)) applyLine(state, due, line);
  }
  state.due = createDueWork([...due.values()].toSorted((a, b) => a.dueAt - b.dueAt));
}

/**
 * Creates a function that reads the next line and returns the lines that are complete with it. A line that was being
 * written during a power loss belongs to a request without a response and may contain anything, so a bad line at the
 * end is ignored.
 */
function createLineReader(of: string): (text: string) => readonly Line[] {
  let pending: Line[] = [];
  let number = 0;
  let badLine: number | undefined;
  let hasEnded = false;

  /** @throws SyntaxError if a line was written after the bad one */
  function checkAfterBad(bad: number, { more, lines = 1 }: Line): void {
    if (hasEnded || (!more && bad <= number - lines)) throw new SyntaxError(`line ${bad}`);
    hasEnded = !more;
  }

  return (text) => {
    number += 1;
    const line = parseLine(text);
    badLine ??= line ? undefined : number;
    if (line?.of !== of) return [];
    if (badLine !== undefined) {
      checkAfterBad(badLine, line);
      return [];
    }
    pending.push(line);
    if (line.more) return [];
    const complete = pending;
    pending = [];
    return complete;
  };
}

function parseLine(text: string): Line | undefined {
  let parsed: Partial<Line & OldLine> | null;
  try {
    parsed = JSON.parse(text) as Partial<Line & OldLine> | null;
  } catch {
    return undefined;
  }
  const { of, set = parsed?.more && {}, records, due, ...rest } = parsed ?? {};
  return typeof of === 'string' && set ? { ...rest, of, set, ...records, ...due } : undefined;
}

function applyLine(state: ProjectState, due: Map<number, Due<DueWork>>, line: Line): void {
  const { groups, ruleCounts, requestTallies, activations, ...plain } = line.set;
  Object.assign(state, plain);
  if (groups) state.groups = new Map(groups);
  if (activations) state.activations = new Map(activations);
  if (ruleCounts) state.ruleCounts = new Map(ruleCounts);
  if (requestTallies) state.requestTallies = new Map(requestTallies);
  for (const name of collections) putAll<StoredRecord>(state.records[name], line[name]);
  putAll(state.callbacks, line.callbacks);
  putAll(state.ruleCounts, line.ruleCounts);
  putAll(state.requestTallies, line.requestTallies);
  addPoints(state, line.points ?? []);
  for (const order of line.gone ?? []) due.delete(order);
  for (const one of line.added ?? []) due.set(one.order, one);
}

/** Applies changes to a map. A key without a value means that the entry was deleted. */
function putAll<Value>(map: Map<string, Value>, changes: Iterable<readonly [string, Value?]> = []): void {
  for (const [key, value] of changes) {
    if (value === undefined) map.delete(key);
    else map.set(key, value);
  }
}

function addPoints({ records }: ProjectState, points: Iterable<readonly [string, TrailPoint]>): void {
  const writes = Array.from(points, ([device, { point, at }]) => ({ point, device, at }));
  applyWrites(records, writes);
}
