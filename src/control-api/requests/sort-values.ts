/** The values by which lists of requests are sorted. */
import type { JournalEntry } from '../../journal/entry.ts';
import { shownProjectOf } from '../../journal/journal.ts';
import type { operations } from '../../openapi/control.gen.ts';
import type { SortValue } from '../sorting.ts';
import type { RequestTests } from './filter.ts';
import { shownDurationOf, shownPathOf } from './row.ts';

type Sort = NonNullable<NonNullable<operations['listRequests']['parameters']['query']>['sort']>;
type Field = Exclude<Sort, `-${string}`>;

const values: Readonly<Record<Field, (entry: JournalEntry, effectsOf: RequestTests['effectsOf']) => SortValue>> = {
  at: ({ at }) => at,
  method: ({ method }) => method,
  operation: (entry) => entry.operation ?? shownPathOf(entry),
  project: (entry) => shownProjectOf(entry) ?? '',
  status: ({ status }) => status,
  callbacks: (entry, effectsOf) => effectsOf(entry)?.callbacks.length ?? 0,
  duration: shownDurationOf,
};

/** Returns the function that reads the value by which a query sorts, or undefined if it does not sort. */
export function toSortValue(
  { sort }: { readonly sort?: string },
  effectsOf: RequestTests['effectsOf'],
): ((entry: JournalEntry) => SortValue) | undefined {
  if (sort === undefined) return undefined;
  const read = values[(sort.startsWith('-') ? sort.slice(1) : sort) as Field];
  return (entry) => read(entry, effectsOf);
}
