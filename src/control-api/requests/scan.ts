/** Finds the requests that match a filter, and counts them by the values of each facet. */
import type { JournalEntry } from '../../journal/entry.ts';
import { createSlices } from '../../lib/slices.ts';
import type { components } from '../../openapi/control.gen.ts';
import type { ControlParts } from '../handler.ts';
import { classOf, type RequestFacts } from './facts.ts';
import { type FacetName, facetNames, matchesAll, noOperation, type RequestTests } from './filter.ts';
import { outcomes, outcomesOf } from './outcome.ts';

export type RequestCounts = components['schemas']['RequestCounts'];

export interface Scanned {
  readonly matching: readonly JournalEntry[];
  readonly counts: RequestCounts | undefined;
}

/** Number of requests to look at before the clock is read, unless a filter searches bodies. */
const entriesInARow = 128;

/** Scans requests in slices, because a filter may search large bodies. */
export async function scanRequests(
  { wall, requestFacts }: Pick<ControlParts, 'wall' | 'requestFacts'>,
  entries: readonly JournalEntry[],
  tests: RequestTests,
  withCounts: boolean,
): Promise<Scanned> {
  const slices = createSlices(wall);
  const matching: JournalEntry[] = [];
  const counter = withCounts ? createCounter(requestFacts, tests) : undefined;
  const inARow = tests.hasSlow ? 1 : entriesInARow;
  for (let index = 0; index < entries.length; index += 1) {
    const entry = entries[index] as JournalEntry;
    if (counter ? counter.add(entry) : matchesAll(tests, entry)) matching.push(entry);
    if (index % inARow === 0 && slices.isOver()) await slices.next();
  }
  return { matching, counts: counter?.counts(matching.length) };
}

/** A counted value. Counted in place: a map that is written for each request takes twice as long. */
interface Tally {
  count: number;
}

type Tallies = Map<string | number, Tally>;

/** Counts requests under all filters except those of the counted facet. */
function createCounter(facts: RequestFacts, tests: RequestTests) {
  const operations: Tallies = new Map();
  const statuses: Tallies = new Map();
  const outcomeSets: Tallies = new Map();
  const scenarios: Tallies = new Map();

  /** Counts an entry by the values of one facet. */
  const count: Readonly<Record<FacetName, (entry: JournalEntry) => void>> = {
    operation: ({ operation = noOperation }) => increment(operations, operation),
    status: ({ status }) => increment(statuses, status),
    outcome: (entry) => increment(outcomeSets, outcomesOf(entry, tests.effectsOf(entry), facts)),
    scenario: (entry) => {
      for (const scenario of facts.scenarios(entry)) increment(scenarios, scenario);
    },
  };

  return {
    /** Counts an entry. Returns whether it matches all filters. */
    add: (entry: JournalEntry): boolean => {
      if (!tests.quick(entry)) return false;
      const missed = findMissed(tests, entry);
      if (missed === 'several' || !tests.slow(entry)) return false;
      if (missed) count[missed](entry);
      else for (const name of facetNames) count[name](entry);
      return missed === undefined;
    },
    counts: (total: number): RequestCounts => ({
      total,
      operation: toSums(operations, (name) => [String(name)]),
      status: toSums(statuses, (status) => [classOf(Number(status))]),
      outcome: toSums(outcomeSets, (set) => outcomes.filter((_, bit) => Number(set) & (1 << bit))),
      scenario: toSums(scenarios, (name) => [String(name)]),
    }),
  };
}

/** Returns the only facet whose filter an entry does not match. */
function findMissed({ facets }: RequestTests, entry: JournalEntry): FacetName | 'several' | undefined {
  let missed: FacetName | undefined;
  for (const name of facetNames) {
    if (facets[name]?.(entry) !== false) continue;
    if (missed !== undefined) return 'several';
    missed = name;
  }
  return missed;
}

function increment(tallies: Tallies, key: string | number): void {
  const known = tallies.get(key);
  if (known) known.count += 1;
  else tallies.set(key, { count: 1 });
}

/** Adds up tallies by the values that their keys stand for, in order of the values. */
function toSums(tallies: Tallies, valuesOf: (key: string | number) => readonly string[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const [key, { count }] of tallies) for (const value of valuesOf(key)) addTo(sums, value, count);
  return toSorted(sums);
}

function addTo(sums: Map<string, number>, value: string, count: number): void {
  sums.set(value, (sums.get(value) ?? 0) + count);
}

function toSorted(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Adds counts of several servers. */
export function addCounts(all: readonly RequestCounts[]): RequestCounts {
  const add = (name: FacetName): Record<string, number> => {
    const sums = new Map<string, number>();
    for (const counts of all) for (const [value, count] of Object.entries(counts[name])) addTo(sums, value, count);
    return toSorted(sums);
  };
  return {
    total: all.reduce((sum, { total }) => sum + total, 0),
    operation: add('operation'),
    status: add('status'),
    outcome: add('outcome'),
    scenario: add('scenario'),
  };
}
