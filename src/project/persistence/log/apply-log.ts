/** Applies the lines of a project's log to its state. */
import type { Steps } from '../../../lib/slices.ts';
import { applyWrites, collections, type StoredRecord, type TrailPoint } from '../../../records/records.ts';
import { compareDue, type Due } from '../../schedule.ts';
import { createDueWork, type DueWork, type ProjectState } from '../../state.ts';
import { DamagedFile, startOf, unseal } from '../format/checked-lines.ts';
import type { ProjectFileContent } from '../format/file-content.ts';
import type { LoggedChanges, SmallParts } from './unwritten-changes.ts';

export interface LogLine extends Partial<LoggedChanges> {
  /** Edition of the file that the line follows. */
  readonly of: string;
  /** Number of the line among all that were written of the project. */
  readonly n: number;
  /** The line is valid only with the next line, which was written together with it. */
  readonly more?: true;
  readonly set?: Partial<SmallParts>;
}

/**
 * Applies the lines that follow this file. Returns whether the last write is incomplete: it was under way when the server
 * was killed, so its request has no response, and it is left out.
 * @throws DamagedFile with the number of a line that is not as it was written
 */
export function* applyLog({ project, state, edition }: ProjectFileContent, lines: Iterable<string>): Steps<boolean> {
  const due = new Map(Array.from(state.due, (one) => [one.order, one]));
  const start = startOf(project);
  const check = createOrderCheck(edition, state.lineCount);
  let pending: LogLine[] = [];
  let number = 0;
  let isCut = false;
  for (const text of lines) {
    yield;
    number += 1;
    isCut = !text.endsWith('\n');
    if (isCut) break;
    const line = unseal(text, start, number).value as LogLine;
    if (!check.belongs(line, number)) continue;
    pending.push(line);
    if (line.more) continue;
    for (const complete of pending) applyLine(state, due, complete);
    pending = [];
  }
  state.due = createDueWork([...due.values()].toSorted(compareDue));
  // Beyond all numbers that this log may get, also from a server that was paused while it wrote.
  state.lineCount = Math.max(state.lineCount, check.next()) + lateLines;
  return !check.isOld() && (isCut || pending.length > 0);
}

/** More lines than a server writes that was paused, and notices at its next check that it has lost the folder. */
const lateLines = 1000;

interface OrderCheck {
  /**
   * Whether a line follows the file. If not, all lines are of an earlier version of the file, which has their changes:
   * its log could not be removed yet.
   * @throws DamagedFile
   */
  belongs(line: LogLine, number: number): boolean;
  /** Whether the lines are of an earlier version of the file. */
  isOld(): boolean;
  /** Number of the change after the last line. */
  next(): number;
}

function createOrderCheck(edition: string, lineCount: number): OrderCheck {
  let first: LogLine | undefined;
  let next = 0;
  return {
    isOld: () => first !== undefined && first.of !== edition,
    next: () => next,
    belongs: (line, number) => {
      first ??= line;
      const isOld = first.of !== edition;
      if (line.of !== first.of || (isOld && line.n >= lineCount))
        throw new DamagedFile(`line ${number}: it follows another version of the file`);
      const expected = line !== first ? next : isOld ? line.n : lineCount;
      if (line.n !== expected) throw new DamagedFile(`line ${number}: expected change ${expected}, got ${line.n}`);
      next = line.n + 1;
      return !isOld;
    },
  };
}

function applyLine(state: ProjectState, due: Map<number, Due<DueWork>>, line: LogLine): void {
  const { groups, activations, ...plain } = line.set ?? {};
  Object.assign(state, plain);
  if (groups) state.groups = new Map(groups);
  if (activations) state.activations = new Map(activations);
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
