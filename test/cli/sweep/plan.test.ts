/** Choice and order of the cases of a sweep. */
import { expect, test } from 'vitest';
import type { SweptOperation } from '../../../src/cli/sweep/baseline.ts';
import { planCases, type Selection } from '../../../src/cli/sweep/plan.ts';
import { runDefaults } from '../../../src/config/option-table.ts';
import { parseOptions } from '../../../src/config/options.ts';
import { readSandboxFiles } from '../../../src/sandbox-files.ts';

const parsed = parseOptions(runDefaults, {});
if (!parsed.ok) throw new Error('the defaults are not valid');
const files = await readSandboxFiles(parsed.options);

const used = (requests: number, varies = false): SweptOperation => ({
  requests,
  callbacks: 0,
  callbacksOfProject: 0,
  clockRate: 1,
  varies,
});
const plan = (operations: ReadonlyMap<string, SweptOperation>, selection: Partial<Selection> = {}) =>
  planCases(files, operations, {
    operations: undefined,
    kinds: ['status-500', 'latency'],
    occurrences: 1,
    last: { bad: new Set(), tried: new Set() },
    ...selection,
  }).map(({ id }) => id);
const both = new Map([
  ['submitLocation', used(3)],
  ['syncCreateJob', used(2)],
]);

test('each kind once at every operation, then outages, then further occurrences', () => {
  expect(plan(both, { occurrences: 2 })).toEqual([
    'syncCreateJob/status-500/1',
    'submitLocation/status-500/1',
    'syncCreateJob/latency/1',
    'submitLocation/latency/1',
    'syncCreateJob/status-500/always',
    'submitLocation/status-500/always',
    'syncCreateJob/status-500/2',
    'submitLocation/status-500/2',
    'syncCreateJob/latency/2',
    'submitLocation/latency/2',
  ]);
});

test('what was bad in the last sweep comes first', () => {
  const bad = new Set(['submitLocation/latency/1', 'submitLocation/status-500/always']);
  expect(plan(both, { last: { bad, tried: new Set() } }).slice(0, 3)).toEqual([
    'submitLocation/latency/1',
    'submitLocation/status-500/always',
    'syncCreateJob/status-500/1',
  ]);
});

test('what the last sweep did not get to comes before what it tried, and what clients report comes last', () => {
  const tried = new Set(['syncCreateJob/latency/1', 'submitLocation/latency/1']);
  const kinds = ['latency', 'status-404', 'status-500'];
  const first = plan(both, { kinds, last: { bad: new Set(), tried } }).filter((id) => id.endsWith('/1'));
  expect(first.map((id) => id.split('/')[1])).toEqual([
    ...['status-500', 'status-500', 'status-404', 'status-404', 'latency', 'latency'],
  ]);
  expect(plan(both, { kinds }).slice(-4, -2)).toEqual(['syncCreateJob/status-404/1', 'submitLocation/status-404/1']);
});

test('only the first occurrence, if the number of requests varies', () => {
  const varying = new Map([['submitLocation', used(3, true)]]);
  expect(plan(varying, { occurrences: 3, kinds: ['latency'] })).toEqual(['submitLocation/latency/1']);
  expect(plan(both, { occurrences: 9, kinds: ['latency'], operations: ['submit*'] })).toHaveLength(3);
});

test('no case of a callback without a callback, and none of an operation that was not used', () => {
  expect(plan(new Map([['asyncImportJobs', used(1)]]), { kinds: ['callback-*'] })).toEqual([]);
  expect(plan(both, { operations: ['asyncImportJobs'] })).toEqual([]);
});
