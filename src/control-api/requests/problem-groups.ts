/** Finds what went wrong with requests, and groups it: by operation, cause and scenario. Each group has advice. */
import type { JournalEntry } from '../../journal/entry.ts';
import type { Cause } from '../../lib/problem.ts';
import { createHash } from '../../lib/random.ts';
import type { Slices } from '../../lib/slices.ts';
import { toTimestamp } from '../../lib/time.ts';
import type { components } from '../../openapi/control.gen.ts';
import { adviceOf } from './advice.ts';
import { readFailures } from './failures.ts';
import type { LaterEffects } from './later-effects.ts';
import { toHead } from './row.ts';

export type ProblemGroup = components['schemas']['ProblemGroup'];

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

function toUndelivered({ id, attempts, dueAt }: LaterEffects['callbacks'][number]): Found {
  const last = attempts.at(-1);
  const text = last?.error ?? `the receiver responded with ${last?.status}`;
  const cause: Cause = { kind: 'undelivered', place: '', text };
  return { severity: 'reported', cause, message: text, at: last?.at ?? dueAt, callback: id };
}

/** Returns the id of the only record that a request was about. */
function recordOf({ named }: JournalEntry): Pick<Found, 'record'> {
  const record = named?.count === 1 ? named.first[0] : undefined;
  return record === undefined ? {} : { record };
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

function scenarioOf({ fired }: JournalEntry, { cause: { kind }, severity }: Found): string | null {
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

const hash = createHash('problem');

/** Returns the id of the group. Of a path without an operation only the method counts: the path may contain an id. */
function groupOf(entry: JournalEntry, found: Found): string {
  const { severity, cause } = found;
  const { operation = `${entry.method} ${cause.operation}` } = entry;
  const { kind, text } = cause;
  return hash.of([severity, kind, operation, placeOf(cause), text, scenarioOf(entry, found) ?? ''].join('\n'));
}

/** Whether a request has a problem of a group. */
export function isInGroup(entry: JournalEntry, effects: LaterEffects | undefined, id: string): boolean {
  return findProblems(entry, effects).some((found) => groupOf(entry, found) === id);
}

type Growing = { -readonly [Key in keyof ProblemGroup]: ProblemGroup[Key] };

/** Groups the problems of requests, which are ordered oldest first. Returns the group with the latest problem first. */
export async function groupProblems(
  entries: Iterable<JournalEntry>,
  effectsOfEntry: (entry: JournalEntry) => LaterEffects | undefined,
  slices: Slices,
): Promise<readonly ProblemGroup[]> {
  const groups = new Map<string, Growing>();
  for (const entry of entries) {
    for (const found of findProblems(entry, effectsOfEntry(entry))) addTo(groups, entry, found);
    if (slices.isOver()) await slices.next();
  }
  return latestFirst([...groups.values()].reverse());
}

function addTo(groups: Map<string, Growing>, entry: JournalEntry, found: Found): void {
  const id = groupOf(entry, found);
  const known = groups.get(id);
  const { at = entry.at } = found;
  if (!known) {
    groups.set(id, toGroup(id, entry, found));
    return;
  }
  known.count += 1;
  if (known.latest.request !== entry.id) known.requests += 1;
  if (known.latest.at <= at) known.latest = toLatest(entry, found);
}

function toGroup(id: string, entry: JournalEntry, found: Found): Growing {
  const { severity, cause } = found;
  const { kind, text, operation: meant } = cause;
  const operation = entry.operation ?? null;
  const scenario = scenarioOf(entry, found);
  return {
    ...{ id, kind, severity, operation, place: placeOf(cause), cause: text, scenario },
    ...adviceOf(kind, operation ?? meant ?? null),
    ...{ count: 1, requests: 1, latest: toLatest(entry, found) },
  };
}

function toLatest(entry: JournalEntry, { message, at = entry.at, record, callback }: Found): ProblemGroup['latest'] {
  const { id: request, project, method, path } = toHead(entry);
  const about = { ...(record && { record }), ...(callback !== undefined && { callback }) };
  return { request, at, project, method, path, message: message.slice(0, maxMessage), ...about };
}

const maxMessage = 500;

/** Groups with the same time stay in their order. */
function latestFirst(groups: readonly ProblemGroup[]): readonly ProblemGroup[] {
  const sorted = groups.toSorted((a, b) => (a.latest.at < b.latest.at ? 1 : a.latest.at > b.latest.at ? -1 : 0));
  return sorted.slice(0, maxGroups);
}

/** Adds groups of several servers. */
export function mergeGroups(all: readonly ProblemGroup[]): readonly ProblemGroup[] {
  const merged = new Map<string, ProblemGroup>();
  for (const one of all) {
    const known = merged.get(one.id);
    if (!known) merged.set(one.id, one);
    else {
      const { latest } = known.latest.at > one.latest.at ? known : one;
      merged.set(one.id, {
        ...one,
        count: known.count + one.count,
        requests: known.requests + one.requests,
        latest,
      });
    }
  }
  return latestFirst([...merged.values()]);
}
