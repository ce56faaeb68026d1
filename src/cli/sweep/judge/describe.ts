/** Describes a case and its differences from the baseline in words. */

import { formatCount, toOrdinal } from '../../../lib/format.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { FailureCase } from '../../../scenarios/cases.ts';
import type { Differences } from '../compare.ts';

/** Maximum number of ids to name in a sentence. */
const maxIds = 5;

/** Describes the failure of a case: `asyncImportJobs answered 503 once`. */
export function describeFailure({ operation, kind, occurrence, always, about }: FailureCase): string {
  const when = always ? 'every time' : occurrence === 1 ? 'once' : `the ${toOrdinal(occurrence)} time`;
  const [, status, processed] = /^status-(\d+)(-processed)?$/.exec(kind) ?? [];
  if (status === undefined) return `${operation} met ${kind} ${when} (${about})`;
  return `${operation} answered ${status} ${when}${processed ? ', after it took effect' : ''}`;
}

/** Describes differences: `3 jobs are missing: ORD-1, ORD-2, ORD-3`. */
export function describeDifferences({ missing, extra, differing, missingChanges }: Differences): string {
  const parts = [
    ...byCollection(missing).map(([name, items]) => `${countOf(name, items.length)} missing${listIds(items)}`),
    ...byCollection(extra).map(([name, items]) => `${countOf(name, items.length)} too many${listIds(items)}`),
    ...byCollection(differing).map(([name, items]) => {
      const fields = [...new Set(items.flatMap((item) => item.fields))].slice(0, maxIds).join(', ');
      return `${countOf(name, items.length)} different${listIds(items)}${fields === '' ? '' : ` (${fields})`}`;
    }),
    // Missing records have missing changes too.
    ...(missing.length + differing.length > 0 ? [] : describeChanges(missingChanges)),
  ];
  return parts.join('; ');
}

function describeChanges(changes: Differences['missingChanges']): readonly string[] {
  return byCollection(changes).map(([name, items]) => {
    if (name === 'locations') return `${countOf(name, items.length)} missing${listIds(items)}`;
    const fields = [...new Set(items.flatMap(({ value }) => Object.keys(value)))].slice(0, maxIds).join(', ');
    return `${formatCount(items.length, 'change')} of ${name} ${items.length === 1 ? 'is' : 'are'} missing${listIds(items)} (${fields})`;
  });
}

function byCollection<One extends { readonly collection: string }>(items: readonly One[]) {
  return [...groupBy(items, ({ collection }) => collection)];
}

function countOf(collection: string, number: number): string {
  return `${formatCount(number, collection.replace(/s$/, ''))} ${number === 1 ? 'is' : 'are'}`;
}

function listIds(items: readonly { readonly id: string }[]): string {
  const ids = [...new Set(items.map(({ id }) => id))].filter((id) => id !== '');
  if (ids.length === 0) return '';
  const more = ids.length - maxIds;
  return `: ${ids.slice(0, maxIds).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
