/** The values by which lists of callbacks are sorted. */
import type { Callback } from '../../callbacks/callback.ts';
import type { operations } from '../../openapi/control.gen.ts';
import type { SortValue } from '../sorting.ts';

type Sort = NonNullable<NonNullable<operations['listCallbacks']['parameters']['query']>['sort']>;
type Field = Exclude<Sort, `-${string}`>;

const values: Readonly<Record<Field, (callback: Callback) => SortValue>> = {
  at: ({ body }) => body.timestamp,
  type: ({ type }) => type,
  state: ({ state }) => state,
  attempts: ({ attempts }) => attempts.length,
  status: ({ attempts }) => attempts.at(-1)?.status ?? 0,
  latency: ({ attempts }) => attempts.at(-1)?.response?.durationMs ?? -1,
  operation: ({ operation }) => operation,
};

/** Returns the function that reads the value by which a query sorts, or undefined if it does not sort. */
export function toSortValue({ sort }: { readonly sort?: string }): ((callback: Callback) => SortValue) | undefined {
  return sort === undefined ? undefined : values[(sort.startsWith('-') ? sort.slice(1) : sort) as Field];
}
