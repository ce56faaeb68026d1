/** The filters of a list. Their values are in the URL: comma-separated, any of them matches; all filters must match. */

import { instant, toUtc } from './format.ts';

type Query = Readonly<Record<string, string>>;

export interface Filter {
  /** Parameter of the URL, and of the control API. */
  readonly key: string;
  readonly title: string;
  /** The user chooses one or any of its values, types them, or enters a point in time, in UTC. */
  readonly kind: 'one' | 'any' | 'text' | 'time';
  /** What is shown in place of values. These are always offered. */
  readonly titles?: Readonly<Record<string, string>>;
  /** Number of items with a value, under all other filters. */
  readonly counts?: Readonly<Record<string, number>> | undefined;
  readonly placeholder?: string;
  /** Whether it is one of the filters under "More" until it has a value. */
  readonly isRare?: boolean;
  /** Parameters that a choice clears. */
  readonly clears?: readonly string[];
}

/** Returns parameters that clear filters. */
export function cleared(filters: readonly Filter[]): Query {
  return { ...Object.fromEntries(filters.map(({ key }) => [key, ''])), ...firstPage };
}

/** Returns the parameters after a filter got a value. */
export function chosen(filter: Filter, values: Query): Query {
  return { ...Object.fromEntries((filter.clears ?? []).map((key) => [key, ''])), ...values, ...firstPage };
}

export function valuesOf(query: Query, key: string): readonly string[] {
  return (query[key] ?? '').split(',').filter((value) => value !== '');
}

/** Returns the value of a parameter after the user has clicked a value. */
export function toggled({ kind, key }: Filter, query: Query, value: string): string {
  const values = valuesOf(query, key);
  if (values.includes(value)) return values.filter((one) => one !== value).join(',');
  return kind === 'any' ? [...values, value].join(',') : value;
}

/** Describes the chosen values, such as `4xx or 5xx`; an empty text if none is chosen. */
export function describeFilter(filter: Filter, query: Query): string {
  if (filter.kind === 'time') return instant(toUtc(query[filter.key] ?? ''));
  return valuesOf(query, filter.key)
    .map((value) => ownOf(filter.titles, value) ?? value)
    .join(' or ');
}

/** Returns what a value of the URL has, which may be a word such as `constructor`. */
export function ownOf<Found>(of: Readonly<Record<string, Found>> = {}, value: string): Found | undefined {
  return Object.hasOwn(of, value) ? of[value] : undefined;
}

/** Lists the values with a title first, then the others by their counts, then those of the URL that nothing has. */
export function listValues({ key, titles = {}, counts = {} }: Filter, query: Query): readonly string[] {
  const counted = Object.keys(counts).sort((one, other) => (counts[other] ?? 0) - (counts[one] ?? 0));
  return [...new Set([...Object.keys(titles), ...counted, ...valuesOf(query, key)])];
}

/** Parameters that choose a page. A change of the filters leads to the first one. */
export const firstPage: Readonly<Record<string, string>> = { cursor: '', page: '' };
