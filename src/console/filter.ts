/** The filters of a list. Their values are in the URL: comma-separated, any of them matches; all filters must match. */

import { instant } from './format.ts';

type Query = Readonly<Record<string, string>>;

export interface FilterValue {
  readonly value: string;
  /** Shown in place of the value. */
  readonly title?: string;
  /** Number of items that match, under all other filters. */
  readonly count?: number;
}

export type Filter = {
  /** Parameter of the URL, and of the control API. */
  readonly key: string;
  readonly title: string;
  /** Whether it is one of the filters under "More" until it has a value. */
  readonly isRare?: boolean;
  /** Parameters that a choice clears. */
  readonly clears?: readonly string[];
} & (
  | { readonly kind: 'any'; readonly values: readonly FilterValue[] }
  /** One value can be chosen. */
  | { readonly kind: 'one'; readonly values: readonly FilterValue[] }
  /** The user types values. */
  | { readonly kind: 'text'; readonly placeholder: string }
  /** A point in time, in UTC. */
  | { readonly kind: 'time' }
);

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
  if (filter.kind === 'time') return instant(query[filter.key] ?? '');
  const titles = 'values' in filter ? filter.values : [];
  return valuesOf(query, filter.key)
    .map((value) => titles.find((one) => one.value === value)?.title ?? value)
    .join(' or ');
}

/** Lists the values with a title first, then the others by their counts, then those of the URL that nothing has. */
export function countedValues(
  counts: Readonly<Record<string, number>> = {},
  titles: Readonly<Record<string, string>> = {},
): readonly FilterValue[] {
  const others = Object.keys(counts)
    .filter((value) => titles[value] === undefined)
    .sort((one, other) => (counts[other] ?? 0) - (counts[one] ?? 0));
  return [...Object.keys(titles), ...others].map((value) => ({
    value,
    count: counts[value] ?? 0,
    ...(titles[value] !== undefined && { title: titles[value] }),
  }));
}

/** Parameters that choose a page. A change of the filters leads to the first one. */
export const firstPage: Readonly<Record<string, string>> = { cursor: '', page: '' };
