/** Finds what went wrong with requests and callbacks, and groups it: by operation, cause and scenario. Each group has advice. */
import type { Callback } from '../../callbacks/callback.ts';
import type { JournalEntry } from '../../journal/entry.ts';
import type { Cause } from '../../lib/problem.ts';
import { createHash } from '../../lib/random.ts';
import type { Slices } from '../../lib/slices.ts';
import { toTimestamp } from '../../lib/time.ts';
import type { Schema } from '../handler.ts';
import { adviceOf } from './advice.ts';
import type { Effects, LaterEffects } from './later-effects.ts';
import { readFailures, toHead } from './show.ts';

export type ProblemGroup = Schema<'ProblemGroup'>;

/** Maximum number of groups: a client may send another unknown field in each request. */
const maxGroups = 500;

/** One thing that went wrong with a request. */
interface Found {
  readonly severity: ProblemGroup['severity'];
  readonly cause: Cause;
  readonly message: string;
  /** Time of the project's clock. Default: that of the request. */
  readonly at?: string;
  /** The id of the entry. */
  readonly record?: string;
  readonly callback?: string;
}

/** Finds everything that went wrong, in the order in which it happened. */
function findProblems(entry: JournalEntry, effects: LaterEffects | undefined): readonly Found[] {
  const { cause, applied, warnings } = entry;
  const [atOnce, ...later] = applied;
  return [
    ...(cause ? findRejection(entry, cause) : (atOnce?.failed ?? []).map(toFailed)),
    ...later.flatMap(({ failed, atMs }) =>
      failed.map((one): Found => ({ ...toFailed(one), severity: 'reported', at: toTimestamp(atMs) })),
    ),
    ...warnings.flatMap((one): readonly Found[] =>
      one.cause ? [{ severity: 'warned', cause: one.cause, message: one.message }] : [],
    ),
    ...(effects?.callbacks ?? []).filter(({ state }) => state === 'failed').map(toUndelivered),
  ];
}

/** Returns the first mistake, which often causes the others. A scenario can also send a success. */
function findRejection(entry: JournalEntry, cause: Cause): readonly Found[] {
  const { status, fault } = entry;
  if (status < 400 && !fault) return [];
  const { message, errors } = readFailures(entry);
  const text = fault ? cause.text : (errors[0]?.message ?? message);
  return [{ severity: 'rejected', cause, message: text || cause.text, ...recordOf(entry) }];
}

function toUndelivered({ id, attempts, dueAt }: Callback): Found {
  const last = attempts.at(-1);
  const text = last?.error ?? `the receiver responded with ${last?.status}`;
  const cause: Cause = { kind: 'undelivered', place: '', text };
  return { severity: 'reported', cause, message: text, at: last?.at ?? dueAt, callback: id };
}

/** Returns the id of the only record that a request was about. */
function recordOf({ named }: JournalEntry): Pick<Found, 'record'> {
  const [record] = named?.ids ?? [];
  return record && named?.ids.every((id) => id === record) ? { record } : {};
}

function toFailed({ id, reason, cause: own }: JournalEntry['applied'][number]['failed'][number]): Found {
  const cause = own ?? { kind: 'scenarioEntry', place: '', text: reason };
  return { severity: 'failed', cause, message: reason, record: id };
}

/** The effects of the rules that cause something. */
const effectsOf: Readonly<Partial<Record<Cause['kind'], readonly string[]>>> = {
  scenarioResponse: ['respond'],
  scenarioLimit: ['limit'],
  scenarioEntry: ['refuse', 'fail'],
  scenarioConnection: ['connection'],
};

function scenarioOf(
  fired: JournalEntry['fired'],
  { kind, severity }: Pick<Found, 'severity'> & Pick<Cause, 'kind'>,
): string | null {
  // An entry that fails later was accepted.
  const wanted = severity === 'reported' && kind === 'scenarioEntry' ? ['fail'] : effectsOf[kind];
  if (!wanted) return null;
  const found = fired.find(({ effects }) => effects.some((one) => wanted.includes(one))) ?? fired[0];
  return found?.scenario ?? null;
}

/** Returns the path of a mistake without the indexes of entries. */
function placeOf({ place }: Cause): string {
  return place.replace(/\/\d+(?=\/|$)/g, '/*');
}

/** What had a problem: a request, or a callback that was made without one. */
interface Source extends Pick<JournalEntry, 'operation' | 'fired'> {
  readonly at: string;
  readonly latest: Pick<ProblemGroup['latest'], 'request' | 'project' | 'method' | 'path'>;
}

function toSource(entry: JournalEntry): Source {
  const { id: request, project, method, path } = toHead(entry);
  return { operation: entry.operation, fired: entry.fired, at: entry.at, latest: { request, project, method, path } };
}

const hash = createHash('problem');

/** Returns the id of the group. Of a path without an operation only the method counts: the path may contain an id. */
function groupOf({ operation, fired, latest }: Source, { severity, cause }: Found): string {
  const { kind, text } = cause;
  const about = operation ?? `${latest.method} ${cause.operation}`;
  const scenario = scenarioOf(fired, { severity, kind }) ?? '';
  return hash.of([severity, kind, about, placeOf(cause), text, scenario].join('\n'));
}

/** Returns what a request has of a group, such as `wrong type: /jobs expected an array`; undefined if it has nothing. */
export function describeInGroup(
  entry: JournalEntry,
  effects: LaterEffects | undefined,
  id: string,
): string | undefined {
  const source = toSource(entry);
  const found = findProblems(entry, effects).find((one) => groupOf(source, one) === id);
  if (!found) return undefined;
  const { kind, text } = found.cause;
  return [`${adviceOf(kind, null).title}:`, placeOf(found.cause), text].filter((one) => one !== '').join(' ');
}

/**
 * Groups problems of requests, oldest first, and of callbacks that were made without a request, with their projects.
 * Returns the group with the latest problem first.
 */
export async function groupProblems(
  entries: Iterable<JournalEntry>,
  effects: Effects,
  triggered: Iterable<readonly [project: string, callback: Callback]>,
  slices: Slices,
): Promise<readonly ProblemGroup[]> {
  const groups = new Map<string, ProblemGroup>();
  for (const entry of entries) {
    const all = findProblems(entry, effects.of(entry));
    if (all.length > 0) addAll(groups, toGroups(toSource(entry), all));
    if (slices.isOver()) await slices.next();
  }
  for (const [project, callback] of triggered) {
    const { operation, state, dueAt } = callback;
    if (state !== 'failed') continue;
    addAll(groups, toGroups({ operation, fired: [], at: dueAt, latest: { project } }, [toUndelivered(callback)]));
  }
  return latestFirst([...groups.values()].reverse());
}

/** Returns the problems of a request or callback, each as a group of its own. */
function* toGroups(source: Source, all: readonly Found[]): Generator<ProblemGroup> {
  const met = new Set<string>();
  for (const found of all) {
    const { severity, cause, message, at = source.at, record, callback } = found;
    const { kind, text, operation: meant } = cause;
    const id = groupOf(source, found);
    const operation = source.operation ?? null;
    const latest = {
      ...source.latest,
      at,
      message: message.slice(0, maxMessage),
      record: record || undefined,
      callback,
    };
    yield {
      ...{ id, kind, severity, operation, place: placeOf(cause), cause: text },
      scenario: scenarioOf(source.fired, { severity, kind }),
      ...adviceOf(kind, operation ?? meant ?? null),
      ...{ count: 1, requests: latest.request === undefined || met.has(id) ? 0 : 1, latest },
    };
    met.add(id);
  }
}

function addAll(groups: Map<string, ProblemGroup>, all: Iterable<ProblemGroup>): void {
  for (const one of all) {
    const known = groups.get(one.id) ?? { ...one, count: 0, requests: 0 };
    const { latest } = known.latest.at > one.latest.at ? known : one;
    groups.set(
      one.id,
      Object.assign(known, { count: known.count + one.count, requests: known.requests + one.requests, latest }),
    );
  }
}

const maxMessage = 500;

/** Groups with the same time stay in their order. */
function latestFirst(groups: readonly ProblemGroup[]): readonly ProblemGroup[] {
  const sorted = groups.toSorted((a, b) => (a.latest.at < b.latest.at ? 1 : a.latest.at > b.latest.at ? -1 : 0));
  return sorted.slice(0, maxGroups);
}

/** Adds groups of several servers. */
export function mergeGroups(all: readonly ProblemGroup[]): readonly ProblemGroup[] {
  const groups = new Map<string, ProblemGroup>();
  addAll(groups, all);
  return latestFirst([...groups.values()]);
}
