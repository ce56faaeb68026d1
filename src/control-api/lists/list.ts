/** Describes the lists of the control API: what each has, shows, filters, counts and sorts by. */
import type { operations } from '../../openapi/control.gen.ts';
import type { Rejection } from '../handler.ts';
import type { SortValue } from './order.ts';

export type Test<Item> = (item: Item) => boolean;

/** Filters by the name of their parameter; each returns the test of a value. */
type Filters<Item> = Readonly<Record<string, (value: string) => Test<Item>>>;

/** A filter whose values are counted. It accepts the key of an item, or one of its values. */
export interface Facet<Item> {
  /** Returns what is counted. Items with the same key have the same values. */
  keyOf(item: Item): unknown;
  /** Returns the values of a key. Default: the key itself. */
  valuesOf?(key: unknown): readonly string[];
}

/** A list, for one request. */
export interface List<Item, Shown extends object = object> {
  /** What is wrong with the query, beside what the document and `known` say. */
  readonly mistake?: Rejection | undefined;
  /** The only values that parameters have, if the document does not list them. `isAnyCase`: those in lower case, too. */
  readonly known?: Readonly<Record<string, { noun: string; values: readonly string[]; isAnyCase?: boolean }>>;
  /** Returns the items, in the order of the list. */
  items(): readonly Item[];
  /** Returns the items of all servers, if others may have some. */
  everywhere?(): Promise<readonly Item[]>;
  show(item: Item): Shown;
  /** Returns the position of an item, which never changes. Default: its index in `items`. */
  numberOf?(item: Item): number;
  /** Returns the time of an item in a list by time: numbers then count the items of the same time. */
  timeOf?(item: Item): number;
  /** Whether the caller may see an item. */
  isVisible?(item: Item): boolean;
  /** All filters that are no facets, in the order of their tests: those that look at many bytes of an item come last. */
  readonly filters?: Filters<Item>;
  readonly facets?: Readonly<Record<string, Facet<Item>>>;
  readonly sorts?: Readonly<Record<string, (item: Item) => SortValue>>;
  /** Finds items by the id of the query's `since`. */
  readonly since?: { readonly noun: string; idOf(item: Item): string };
  /** Calls `changed` with items that are new, or changed. Returns a function that unsubscribes. */
  watch?(changed: (items: readonly Item[]) => void): () => void;
  /** Forgets what was derived of items, which may have changed since. `only`: the only items to be looked at next. */
  refresh?(only?: readonly Item[]): void;
}

/** Defines a list of items that are in the order of their times: positions are times, because earlier items may go. */
export function listByTime<Item extends object>(items: readonly Item[], timeOf: (item: Item) => number): List<Item> {
  const numbers = new Map<Item, number>();
  for (const [index, item] of items.entries()) {
    const before = items[index - 1];
    numbers.set(item, before && timeOf(before) === timeOf(item) ? (numbers.get(before) ?? 0) + 1 : 0);
  }
  return { items: () => items, timeOf, numberOf: (item) => numbers.get(item) ?? 0, show: (item) => item };
}

type SortedId = 'listRequests' | 'listCallbacks';
type SortOf<Id extends SortedId> = NonNullable<NonNullable<operations[Id]['parameters']['query']>['sort']>;

/** The values of all sorts that the document describes for a list. */
export type Sorts<Id extends SortedId, Item> = Record<Exclude<SortOf<Id>, `-${string}`>, (item: Item) => SortValue>;
