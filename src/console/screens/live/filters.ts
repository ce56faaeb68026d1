/** The filters of the list of requests, with the counts of the sandbox, and the views that every user has. */
import type { RequestCounts } from '../../data/request-row.ts';
import type { Filter, FilterValue, View } from '../../parts/filter-bar.ts';

/** Values that are always offered, also without requests. */
const statusTitles: Readonly<Record<string, string>> = {
  '2xx': '2xx success',
  '4xx': '4xx rejected',
  '5xx': '5xx error',
};
const outcomeTitles: Readonly<Record<string, string>> = {
  accepted: 'accepted',
  rejected: 'rejected',
  failed: 'failed',
  pending: 'pending',
  warned: 'with warnings',
  faulted: 'connection broken',
};
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const spans: readonly FilterValue[] = [
  { value: '1m', title: 'last minute' },
  { value: '10m', title: 'last 10 minutes' },
  { value: '1h', title: 'last hour' },
];

export const views: readonly View[] = [
  { name: 'Failed in the last minute', query: { outcome: 'rejected,failed', within: '1m' } },
  { name: 'Rejected or failed', query: { outcome: 'rejected,failed' } },
  { name: 'With warnings', query: { outcome: 'warned' } },
  { name: 'Pending', query: { outcome: 'pending' } },
];

export function requestFilters(counts: RequestCounts | undefined): readonly Filter[] {
  const { status = {}, outcome = {}, operation = {}, scenario = {} } = counts ?? {};
  return [
    { kind: 'any', key: 'status', title: 'Status', values: withTitles(statusTitles, status) },
    { kind: 'any', key: 'outcome', title: 'Outcome', values: withTitles(outcomeTitles, outcome) },
    { kind: 'one', key: 'within', title: 'Time', values: spans, clears: ['from', 'to'] },
    { kind: 'range', key: 'from', to: 'to', title: 'Between', clears: ['within'] },
    { kind: 'text', key: 'entity', title: 'Id', placeholder: 'Exact id, such as JOB-1' },
    { kind: 'any', key: 'operation', title: 'Operation', values: withTitles({}, operation) },
    { kind: 'any', key: 'scenario', title: 'Scenario', values: withTitles({}, scenario) },
    { kind: 'any', key: 'method', title: 'Method', values: methods.map((value) => ({ value })) },
  ];
}

/** Lists the values with a title first, then the others by their counts. */
function withTitles(
  titles: Readonly<Record<string, string>>,
  counts: Readonly<Record<string, number>>,
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

/** Returns the filters of links of earlier versions: `?show=refused failed`. */
export function fromShow(show: string, counts: RequestCounts): Readonly<Record<string, string>> {
  const names: Readonly<Record<string, string>> = {
    success: 'accepted',
    refused: 'rejected',
    failed: 'failed',
    warnings: 'warned',
  };
  const shown = show.split(' ');
  const outcomes = shown.flatMap((name) => names[name] ?? []);
  const scenarios = shown.includes('scenario') ? Object.keys(counts.scenario) : [];
  return { show: '', outcome: outcomes.join(','), ...(scenarios.length > 0 && { scenario: scenarios.join(',') }) };
}
