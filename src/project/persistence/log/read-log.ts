/** Reads a project from the lines of its log. */
import type { Endpoint } from '../../../callbacks/callback.ts';
import type { Steps } from '../../../lib/slices.ts';
import { applyWrites, collections, type StoredRecord } from '../../../records/records.ts';
import { compareDue, type Due } from '../../schedule.ts';
import { createDueWork, createProjectState, type DueWork, type ProjectState } from '../../state.ts';
import { DamagedFile, startOf, unseal } from '../format/checked-lines.ts';
import { toFileName } from '../format/file-name.ts';
import { type LogHead, type LogLine, logFormat, logVersion } from './unwritten-changes.ts';

export interface ReadLog {
  readonly project: string;
  readonly state: ProjectState;
  /** Whether the last write was under way when the server was killed: its request has no response, and it is left out. */
  readonly isCut: boolean;
}

/**
 * Reads the lines that `UnwrittenChanges` wrote: the whole project first, then its changes.
 * @throws DamagedFile with the number of a line that is not as it was written in a file with this name
 */
export function* readLog(
  lines: Iterable<string>,
  fileName: string,
  defaultEndpoint: Endpoint | undefined,
): Steps<ReadLog> {
  const start = { clock: { mode: 'frozen', nowMs: 0 }, endpoint: defaultEndpoint, wall: { now: () => 0 } } as const;
  const state = createProjectState(start);
  const due = new Map<number, Due<DueWork>>();
  let project: string | undefined;
  let pending: LogLine[] = [];
  let crc = 0;
  let number = 0;
  let isWhole = false;
  let isCut = false;
  for (const text of lines) {
    yield;
    number += 1;
    isCut = isWhole && !text.endsWith('\n');
    if (isCut) break;
    if (project === undefined) {
      project = checkHead(text, fileName);
      crc = startOf(project);
    }
    const read = unseal(text, crc, number);
    const line = read.value as LogLine;
    crc = read.crc;
    pending.push(line);
    // A project that is not whole is refused, so its lines need not wait for the last one.
    if (line.more && isWhole) continue;
    for (const one of pending) applyLine(state, due, one);
    pending = [];
    isWhole ||= !line.more;
  }
  if (project === undefined || !isWhole) throw new DamagedFile(`line ${number + 1}: missing; the file is cut off`);
  state.due = createDueWork([...due.values()].toSorted(compareDue));
  return { project, state, isCut: isCut || pending.length > 0 };
}

/** Checks the first line, before its checksum: a file of another version may have none. Returns the project. */
function checkHead(line: string, fileName: string): string {
  const { format, version, project } = parseHead(line);
  if (format !== logFormat) throw new DamagedFile(`line 1: not a project file: expected "format": "${logFormat}"`);
  if (version !== logVersion) {
    const actual = JSON.stringify(version)?.slice(0, 40) ?? 'none';
    const why = 'another version of field-sandbox may have written it';
    throw new DamagedFile(`line 1: unknown version: expected ${logVersion}, got ${actual}: ${why}`);
  }
  if (typeof project !== 'string') throw new DamagedFile('line 1: /project: expected a string');
  const own = toFileName(project);
  if (own !== fileName)
    throw new DamagedFile(`line 1: belongs to project ${JSON.stringify(project)}: expected the file name ${own}`);
  return project;
}

function parseHead(text: string): Readonly<Partial<Record<keyof LogHead, unknown>>> {
  try {
    return (JSON.parse(text) ?? {}) as LogHead;
  } catch {
    throw new DamagedFile('line 1: invalid JSON');
  }
}

function applyLine(state: ProjectState, due: Map<number, Due<DueWork>>, line: LogLine): void {
  const { groups, activations, endpoint, ...plain } = line.set ?? {};
  Object.assign(state, plain);
  if (groups) state.groups = new Map(groups);
  if (activations) state.activations = new Map(activations);
  if (endpoint !== undefined) state.endpoint = endpoint ?? undefined;
  for (const name of collections) putAll<StoredRecord>(state.records[name], line[name]);
  putAll(state.callbacks, line.callbacks);
  putAll(state.ruleCounts, line.ruleCounts);
  putAll(state.requestTallies, line.requestTallies);
  for (const [device, points] of line.trails ?? [])
    applyWrites(
      state.records,
      points.map((point) => ({ ...point, device })),
    );
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
