/** The filters of the list of callbacks, with the counts of the sandbox, and the views that every user has. */
import type { Schemas } from '../../data/client.ts';
import { states } from '../../parts/chips.ts';
import type { Filter, FilterValue, View } from '../../parts/filter-bar.ts';

export const presets: readonly View[] = [
  { name: 'Not delivered', query: { state: 'scheduled,failed' } },
  { name: 'Failed', query: { state: 'failed' } },
];

export function callbackFilters(counts: Schemas['CallbackCounts'] | undefined, isInbox: boolean): readonly Filter[] {
  const { state = {}, type = {}, operation = {} } = counts ?? {};
  const ofState: Filter = {
    kind: 'any',
    key: 'state',
    title: 'State',
    values: states.map((value) => ({ value, count: state[value] ?? 0 })),
  };
  return [
    ...(isInbox ? [] : [ofState]),
    { kind: 'any', key: 'type', title: 'Type', values: byCount(type) },
    { kind: 'text', key: 'entity', title: 'Id', placeholder: 'Exact id, such as JOB-1' },
    { kind: 'text', key: 'requestId', title: 'Request', placeholder: 'Id of a request' },
    { kind: 'any', key: 'operation', title: 'Operation', values: byCount(operation) },
  ];
}

function byCount(counts: Readonly<Record<string, number>>): readonly FilterValue[] {
  return Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([value, count]) => ({ value, count }));
}
