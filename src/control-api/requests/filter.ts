/** Filters the journal by the query of a list of requests. */
import type { JournalEntry } from '../../journal/entry.ts';
import { shownProjectOf } from '../../journal/journal.ts';
import { parseDuration } from '../../lib/duration.ts';
import { didYouMean } from '../../lib/nearest.ts';
import type { Problem } from '../../lib/problem.ts';
import { parseTimestamp, toTimestamp } from '../../lib/time.ts';
import { quote } from '../../openapi/explain.ts';
import { type OperationId, operationIds } from '../../operations/index.ts';
import type { Caller } from '../caller.ts';
import { type ControlParts, type ControlRequest, reject } from '../handler.ts';
import { recordsNamedBy } from '../named-records.ts';
import { classOf, type RequestFacts } from './facts.ts';
import { listHere } from './journal-list.ts';
import { findLaterEffects, type LaterEffects } from './later-effects.ts';
import { type OutcomeSet, outcomesOf, toOutcomeSet } from './outcome.ts';

export type RequestTest = (entry: JournalEntry) => boolean;

/** The filters whose values lists count. */
export const facetNames = ['operation', 'status', 'outcome', 'scenario'] as const;
export type FacetName = (typeof facetNames)[number];

/** The filters of a list, as the projects are now. */
export interface RequestTests {
  readonly facets: { readonly [Name in FacetName]?: RequestTest };
  /** All other filters that look at few bytes of a request. */
  readonly quick: RequestTest;
  /** Filters that search bodies. */
  readonly slow: RequestTest;
  readonly hasSlow: boolean;
  effectsOf(entry: JournalEntry): LaterEffects | undefined;
}

/** Creates the tests. Later effects of requests are those at this time. `only`: the ids of the tested requests. */
export type RequestFilter = (only?: ReadonlySet<string>) => RequestTests;

/** Returns the number of the request in the query's `since`; 0 without it; undefined if the journal does not have it. */
export function findSince(
  { journal }: ControlParts,
  { query: { since }, caller }: ControlRequest,
  project: string | undefined,
): number | undefined {
  if (since === undefined) return 0;
  return listHere(journal, project).find((one) => one.id === since && caller.mayUse(shownProjectOf(one)))?.number;
}

export const unknownSince: { readonly problem: Problem } = reject(
  'invalid',
  'expected the id of a request in the journal',
  'query:since',
);

/** Returns the filter of a list of requests after a number, or the problem of its query. */
export function toRequestFilter(
  parts: ControlParts,
  { query, caller }: ControlRequest,
  after: number | undefined,
  project?: string,
): RequestFilter | { readonly problem: Problem } {
  const unknown = toNames(query['operation'])?.find((name) => !operationNames.includes(name));
  if (unknown !== undefined) return toUnknown(unknown);
  if (after === undefined) return unknownSince;
  return (only) => {
    const slow = toSlowTests(parts, query);
    let effects: ReadonlyMap<string, LaterEffects> | undefined;
    const effectsOf = ({ id, operation }: JournalEntry): LaterEffects | undefined => {
      // Most time of a long list goes into these searches, so they are made only for requests with later effects.
      if (operation === undefined || parts.modeOf(operation as OperationId).mode === 'sync') return undefined;
      effects ??= findLaterEffects(parts, caller, project, only);
      return effects.get(id);
    };
    return {
      effectsOf,
      facets: toFacets(parts, query, effectsOf),
      quick: allOf([...toAccessTests(caller, after), ...toQuickTests(parts, query)]),
      slow: allOf(slow),
      hasSlow: slow.length > 0,
    };
  };
}

export function matchesAll({ facets, quick, slow }: RequestTests, entry: JournalEntry): boolean {
  return quick(entry) && facetNames.every((name) => facets[name]?.(entry) !== false) && slow(entry);
}

/** The value of `operation` for requests that match no operation. */
export const noOperation = 'none';

const operationNames: readonly string[] = [...operationIds, noOperation];

function toUnknown(operation: string) {
  const suggestion = didYouMean(operation, operationIds);
  return reject('invalid', `expected an operationId, got ${quote(operation)}${suggestion}`, 'query:operation');
}

type Query = ControlRequest['query'];

function toNames(value: unknown): readonly string[] | undefined {
  return value === undefined ? undefined : String(value).split(',');
}

function toFacets(
  { requestFacts }: ControlParts,
  query: Query,
  effectsOf: RequestTests['effectsOf'],
): RequestTests['facets'] {
  const [operations, statuses, found, scenarios] = facetNames.map((name) => toNames(query[name]));
  return {
    ...(operations && { operation: ({ operation = noOperation }) => operations.includes(operation) }),
    ...(statuses && {
      status: ({ status }) => statuses.includes(String(status)) || statuses.includes(classOf(status)),
    }),
    ...(found && { outcome: toOutcomeTest(toOutcomeSet(found), effectsOf, requestFacts) }),
    ...(scenarios && { scenario: (entry) => requestFacts.scenarios(entry).some((one) => scenarios.includes(one)) }),
  };
}

function toOutcomeTest(wanted: OutcomeSet, effectsOf: RequestTests['effectsOf'], facts: RequestFacts): RequestTest {
  return (entry) => (outcomesOf(entry, effectsOf(entry), facts) & wanted) !== 0;
}

/** Tests whether a request came after a number, and whether the caller may see it. Asks once per project. */
function toAccessTests({ isAdmin, mayUse }: Caller, after: number): readonly RequestTest[] {
  const known = new Map<string | undefined, boolean>();
  const isVisible: RequestTest = (entry) => {
    const project = shownProjectOf(entry);
    const may = known.get(project) ?? mayUse(project);
    known.set(project, may);
    return may;
  };
  const isLater: RequestTest = ({ number }) => number > after;
  return [...(after > 0 ? [isLater] : []), ...(isAdmin ? [] : [isVisible])];
}

function toQuickTests(parts: ControlParts, { method, from, to, within, strays }: Query): readonly RequestTest[] {
  const tests: RequestTest[] = [];
  if (strays === false) tests.push(({ project }) => project !== undefined);
  const methods = toNames(method)?.map((one) => one.toUpperCase());
  if (methods) tests.push((entry) => methods.includes(entry.method));
  // Timestamps of the journal have one form, so that they are compared as texts.
  const [first, last] = [from, to].map((time) => (time === undefined ? undefined : toJournalTime(time)));
  if (first !== undefined) tests.push(({ at }) => at >= first);
  if (last !== undefined) tests.push(({ at }) => at <= last);
  if (within !== undefined) tests.push(toRecent(parts, parseDuration(String(within)) ?? 0));
  return tests;
}

function toJournalTime(time: unknown): string {
  return toTimestamp(parseTimestamp(String(time)) ?? 0);
}

/** Returns whether a request is of the last span of time, by the clock of its project. */
function toRecent({ projects, defaultClock, wall }: ControlParts, spanMs: number): RequestTest {
  const starts = new Map<string | undefined, string>();
  const startOf = (project: string | undefined): string => {
    const now = (project === undefined ? undefined : projects.find(project)?.now()) ?? defaultClock.nowMs ?? wall.now();
    return toTimestamp(now - spanMs);
  };
  return (entry) => {
    const project = shownProjectOf(entry);
    const start = starts.get(project) ?? startOf(project);
    starts.set(project, start);
    return entry.at > start;
  };
}

function toSlowTests(parts: ControlParts, { entity, record, contains }: Query): readonly RequestTest[] {
  const tests: RequestTest[] = [];
  if (entity !== undefined) tests.push(toEntityTest(parts, String(entity)));
  if (contains !== undefined) tests.push((entry) => isFound(entry, String(contains)));
  if (record !== undefined) tests.push((entry) => isNamed(entry, String(record), parts));
  return tests;
}

/** Returns whether a request names one of the ids. Parses only bodies that have the text of one. */
function toEntityTest({ requestFacts, contract }: ControlParts, query: string): RequestTest {
  // An id may contain a comma itself.
  const ids = new Set([query, ...query.split(',')]);
  const texts = [...ids].map((id) => JSON.stringify(id).slice(1, -1));
  return (entry) => {
    const { first, count } = requestFacts.named(entry);
    if (first.some((id) => ids.has(id))) return true;
    if (count <= first.length) return false;
    const body = entry.requestBody?.read().shown ?? '';
    if (!texts.some((text) => body.includes(text)) && !body.includes('\\u')) return false;
    return recordsNamedBy(entry, contract).some(({ id }) => ids.has(id));
  };
}

function isFound({ id, url, requestBody, responseBody = '' }: JournalEntry, text: string): boolean {
  return [id, url, requestBody?.read().shown ?? '', responseBody].some((one) => one.includes(text));
}

function isNamed(entry: JournalEntry, record: string, { contract }: ControlParts): boolean {
  return recordsNamedBy(entry, contract).some(({ collection, id }) => `${collection}/${id}` === record);
}

function allOf(tests: readonly RequestTest[]): RequestTest {
  return (entry) => {
    for (const test of tests) if (!test(entry)) return false;
    return true;
  };
}
