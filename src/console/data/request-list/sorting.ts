/** The values by which the list of requests is sorted: the same as those of the sandbox. */
import type { RequestRow } from '../request-row.ts';
import { isAmongFirst, type SortKeys, sortNameOf } from '../sorting.ts';

export const requestSortKeys = {
  at: ({ at }) => at,
  method: ({ method }) => method,
  operation: ({ operation, path }) => operation ?? path,
  project: ({ project }) => project ?? '',
  status: ({ status }) => status,
  callbacks: ({ callbackCount }) => callbackCount,
  duration: ({ durationMs }) => durationMs,
} satisfies SortKeys<RequestRow>;

/** Returns the new rows that come before the last loaded row of a sorted list: the others come with a later page. */
export function amongFirst(
  arrived: readonly RequestRow[],
  last: RequestRow | undefined,
  sort: string,
): readonly RequestRow[] {
  const keys: SortKeys<RequestRow> = requestSortKeys;
  const key = keys[sortNameOf(sort)];
  return key === undefined ? arrived : arrived.filter((row) => isAmongFirst(row, last, key, sort));
}
