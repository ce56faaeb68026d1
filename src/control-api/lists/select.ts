/** Selects the items of a list by its query, and counts them by the values of each facet. */
import { didYouMean } from '../../lib/nearest.ts';
import type { Slices } from '../../lib/slices.ts';
import { quote } from '../../openapi/explain.ts';
import { type ControlRequest, type Rejection, reject } from '../handler.ts';
import type { Facet, List, Test } from './list.ts';
import type { Position } from './order.ts';

type Query = ControlRequest['query'];

/** A counted key. Counted in place: a map that is written for each item takes twice as long. */
interface Tally {
  count: number;
}

/** A facet, with the test of its filter if the query has it. */
interface SelectedFacet<Item> {
  readonly name: string;
  readonly keyOf: (item: Item) => unknown;
  readonly valuesOf: (key: unknown) => readonly string[];
  readonly test: Test<Item> | undefined;
  readonly tallies: Map<unknown, Tally>;
}

/** What a query selects of a list, as the list is now. */
interface Selection<Item> {
  readonly counts: boolean;
  readonly facets: readonly SelectedFacet<Item>[];
  /** Whether an item is of the list at all. */
  readonly first: readonly Test<Item>[];
  /** The other filters, which are tested last. */
  readonly filters: readonly Test<Item>[];
}

type Selected<Item> = Position & { readonly item: Item };

/** The number of selected items, and of those with each value of a facet. */
export type Counts = { readonly [facet: string]: number | Readonly<Record<string, number>> };

/** Returns the values of a parameter that takes several, separated by commas. */
export function toValues(text: string): Set<string> {
  return new Set(text.split(','));
}

/** Returns whether a text contains another, in any case. */
export function toTextTest(text: string): (one: string) => boolean {
  const pattern = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'iu');
  return (one) => pattern.test(one);
}

/** Returns the problem of a query that a list refuses, or that has an unknown value; or undefined. */
export function checkQuery(
  { known = {}, mistake }: Pick<List<never>, 'known' | 'mistake'>,
  query: Query,
): Rejection | undefined {
  for (const [name, { noun, values, isAnyCase }] of Object.entries(known)) {
    if (query[name] === undefined) continue;
    const given = [...toValues(String(query[name]))];
    const unknown = given.find((value) => !values.includes(isAnyCase ? value.toUpperCase() : value));
    if (unknown === undefined) continue;
    const message = `expected ${noun}, got ${quote(unknown)}${didYouMean(unknown, values)}`;
    return reject('invalid', message, `query:${name}`);
  }
  return mistake;
}

/** Returns what a query selects after a number. */
export function select<Item>(
  { isVisible, numberOf, filters = {}, facets = {} }: List<Item>,
  query: Query,
  after: number,
  counts = false,
): Selection<Item> {
  const isGiven = (name: string): boolean => query[name] !== undefined;
  const isLater = after >= 0 && numberOf ? [(item: Item) => numberOf(item) > after] : [];
  return {
    counts,
    first: [...isLater, ...(isVisible ? [isVisible] : [])],
    facets: Object.entries(facets).flatMap(([name, facet]) =>
      counts || isGiven(name) ? toSelected(name, facet, query[name]) : [],
    ),
    filters: Object.entries(filters).flatMap(([name, toTest]) => (isGiven(name) ? toTest(String(query[name])) : [])),
  };
}

function toSelected<Item>(name: string, facet: Facet<Item>, wanted: unknown): SelectedFacet<Item> {
  const { keyOf, valuesOf = asText } = facet;
  const test = wanted === undefined ? undefined : toFacetTest(keyOf, valuesOf, toValues(String(wanted)));
  return { name, keyOf, valuesOf, test, tallies: new Map() };
}

const asText = (key: unknown): readonly string[] => [String(key)];

/** Tests whether a key or one of its values is wanted: once per key, because most items share theirs with others. */
function toFacetTest<Item>(
  keyOf: (item: Item) => unknown,
  valuesOf: (key: unknown) => readonly string[],
  wanted: ReadonlySet<string>,
): Test<Item> {
  const known = new Map<unknown, boolean>();
  return (item) => {
    const key = keyOf(item);
    const isWanted = known.get(key) ?? (wanted.has(String(key)) || valuesOf(key).some((value) => wanted.has(value)));
    known.set(key, isWanted);
    return isWanted;
  };
}

/**
 * Returns whether an item is selected. With counts, counts it under all filters except those of the counted facet.
 */
export function isSelected<Item>({ first, facets, filters, counts }: Selection<Item>, item: Item): boolean {
  if (!passes(first, item)) return false;
  let missed: SelectedFacet<Item> | undefined;
  for (const facet of facets) {
    if (facet.test?.(item) !== false) continue;
    if (missed || !counts) return false;
    missed = facet;
  }
  if (!passes(filters, item)) return false;
  if (counts) for (const facet of missed ? [missed] : facets) count(facet, item);
  return missed === undefined;
}

function passes<Item>(tests: readonly Test<Item>[], item: Item): boolean {
  for (const test of tests) if (!test(item)) return false;
  return true;
}

function count<Item>({ keyOf, tallies }: SelectedFacet<Item>, item: Item): void {
  const key = keyOf(item);
  const known = tallies.get(key);
  if (known) known.count += 1;
  else tallies.set(key, { count: 1 });
}

/** Finds the selected items in slices, because a filter may search large bodies. */
export async function scan<Item>(
  slices: Slices,
  list: List<Item>,
  items: readonly Item[],
  query: Query,
  after: number,
): Promise<{ readonly selected: readonly Selected<Item>[]; readonly counts: Counts | undefined }> {
  const { numberOf, timeOf, sorts, refresh } = list;
  refresh?.();
  const { sort, counts } = query;
  const selection = select(list, query, after, counts === true);
  const sortedBy = sort === undefined ? timeOf : sorts?.[String(sort).replace(/^-/, '')];
  const selected: Selected<Item>[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index] as Item;
    if (isSelected(selection, item))
      selected.push({ item, value: sortedBy?.(item) ?? 0, number: numberOf?.(item) ?? index, origin: '' });
    if (slices.isOver()) await slices.next();
  }
  return { selected, counts: counts === true ? toCounts(selection, selected.length) : undefined };
}

function toCounts<Item>({ facets }: Selection<Item>, total: number): Counts {
  const toCount = ({ name, tallies, valuesOf }: SelectedFacet<Item>) => {
    const tallied = [...tallies].flatMap(([key, tally]) => valuesOf(key).map((value) => [value, tally.count] as const));
    return [name, addUp(tallied)];
  };
  return { total, ...Object.fromEntries(facets.map(toCount)) };
}

/** Adds up by value, in order of the values. */
export function addUp(counted: readonly (readonly [value: string, count: number])[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const [value, by] of counted) sums.set(value, (sums.get(value) ?? 0) + by);
  return Object.fromEntries([...sums].sort(([one], [other]) => (one < other ? -1 : 1)));
}
