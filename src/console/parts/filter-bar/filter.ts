/** The filters of a list. Their values are in the URL: comma-separated, any of them matches; all filters must match. */

type Query = Readonly<Record<string, string>>;

export interface FilterValue {
  readonly value: string;
  /** Shown in place of the value. */
  readonly title?: string;
  /** Number of items that match, under all other filters. */
  readonly count?: number;
}

interface FilterBase {
  /** Parameter of the URL. */
  readonly key: string;
  readonly title: string;
}

export type Filter =
  /** Several values can be chosen. */
  | (FilterBase & { readonly kind: 'any'; readonly values: readonly FilterValue[] })
  /** One value can be chosen, which clears other parameters. */
  | (FilterBase & {
      readonly kind: 'one';
      readonly values: readonly FilterValue[];
      readonly clears?: readonly string[];
    })
  /** The user types values. */
  | (FilterBase & { readonly kind: 'text'; readonly placeholder: string })
  /** Two points in time, in UTC. `key` is the parameter of the first, `to` that of the second. */
  | (FilterBase & { readonly kind: 'range'; readonly to: string; readonly clears?: readonly string[] });

/** Returns the chosen values of a parameter. */
export function valuesOf(query: Query, key: string): readonly string[] {
  return (query[key] ?? '').split(',').filter((value) => value !== '');
}

/** Returns the parameter with a value added, or removed if it was chosen. */
export function toggled(query: Query, key: string, value: string): string {
  const values = valuesOf(query, key);
  return (values.includes(value) ? values.filter((one) => one !== value) : [...values, value]).join(',');
}

/** Returns the parameters of a filter. */
export function keysOf(filter: Filter): readonly string[] {
  return filter.kind === 'range' ? [filter.key, filter.to] : [filter.key];
}

export function isActive(filter: Filter, query: Query): boolean {
  return keysOf(filter).some((key) => (query[key] ?? '') !== '');
}

/** Returns parameters that clear the filters. */
export function cleared(filters: readonly Filter[]): Query {
  return Object.fromEntries(filters.flatMap(keysOf).map((key) => [key, '']));
}

/** Describes the chosen values, such as `4xx or 5xx`. */
export function describeFilter(filter: Filter, query: Query): string {
  const values = valuesOf(query, filter.key);
  if (filter.kind === 'text') return values.join(' or ');
  if (filter.kind !== 'range') return values.map((value) => titleOf(filter.values, value)).join(' or ');
  const [from = '', to = ''] = keysOf(filter).map((key) => (query[key] ?? '').replace('T', ' ').replace(/Z$/, ''));
  return from === '' ? `until ${to}` : to === '' ? `since ${from}` : `${from} to ${to}`;
}

function titleOf(values: readonly FilterValue[], value: string): string {
  return values.find((one) => one.value === value)?.title ?? value;
}
