/** What a sweep has met counts: operations of the baseline, reached failures, and disturbed callbacks by type. */
import { expect, test } from 'vitest';
import { addSweep, findUnlisted } from '../../src/coverage/add-sweep.ts';
import { calls } from '../../src/coverage/coverage.ts';
import { type CoverageReport, toCoverageReport } from '../../src/coverage/report.ts';
import type { Verdict } from '../../src/sweep-report/verdicts.ts';
import { createCase, createReport } from '../sweep-report/sample.ts';

const toConditions = (...kinds: readonly string[]) => kinds.map((kind) => ({ kind, about: '', provoke: '' }));

/** A report of two operations, of which a client has called the first, and of the callbacks of the first. */
function createCoverageReport(): CoverageReport {
  const counts = new Map([['one', new Map([[calls, { count: 1, taken: 0, first: null }]])]]);
  const common = { method: 'POST', path: '/', mode: 'async', failures: toConditions('latency', 'status-503') } as const;
  const disturbances = toConditions('callback-copies', 'callback-signature-invalid', 'callback-drop');
  const operations = ['one', 'two'].map((operation) => ({ operation, ...common }));
  return toCoverageReport({ operations, callbacks: [{ type: 'jobs.import.failed', disturbances }] }, counts);
}

const callbackTypeOf = (operation: string) => (operation === 'one' ? 'jobs.import.failed' : undefined);

function add(...verdictsByCase: readonly (readonly [id: string, verdict: Verdict])[]): CoverageReport {
  const cases = verdictsByCase.map(([id, verdict]) => createCase(id, verdict, ''));
  return addSweep(createCoverageReport(), createReport(cases), callbackTypeOf);
}

test('operations of the baseline and reached kinds count, also of bad cases', () => {
  const { items, met, operations, failures } = add(
    ['one/latency/1', 'recovered'],
    // A form of the kind: at the last of several entries.
    ['one/latency-last/1', 'unnoticed'],
    ['one/status-503/1', 'not-reached'],
  );
  const [one, two] = items;
  expect(one).toMatchObject({ calls: 5, succeeded: 4, met: true });
  expect(one?.failures).toMatchObject([
    { kind: 'latency', met: true, count: 2 },
    { kind: 'status-503', met: false, count: 0 },
  ]);
  expect(two).toMatchObject({ calls: 0, met: false });
  expect([met, operations.met, failures.met]).toEqual([2, 1, 1]);
});

test('callbacks that the baseline delivered count for their type', () => {
  const swept = createReport([]);
  const baseline = { ...swept.baseline, callbacks: { 'jobs.import.failed': 2, 'orders.import.failed': 1 } };
  const { callbackItems } = addSweep(createCoverageReport(), { ...swept, baseline }, callbackTypeOf);
  const reached = callbackItems.flatMap(({ conditions }) => conditions.filter(({ met }) => met));
  expect(reached).toMatchObject([{ kind: 'delivered', count: 2, taken: 2 }]);
});

test('a disturbed callback counts for its type; the verdict says whether the receiver took it', () => {
  const { callbackItems } = add(
    ['one/callback-copies/1', 'recovered'],
    ['one/callback-signature-invalid/1', 'accepted-forgery'],
    ['one/callback-signature-invalid/2', 'reported'],
    ['one/callback-drop/1', 'recovered'],
    ['two/callback-drop/1', 'recovered'],
  );
  const reached = callbackItems.flatMap(({ conditions }) => conditions.filter(({ met }) => met));
  expect(reached.map(({ kind, count, taken }) => [kind, count, taken])).toEqual([
    ['callback-copies', 1, 1],
    ['callback-signature-invalid', 2, 1],
    ['callback-drop', 1, 0],
  ]);
});

test('cases whose kind the report does not have are found, except those of operations that are left out', () => {
  const ids = [
    'one/latency/1',
    'one/latency-last/1',
    'one/status-422/1',
    'one/callback-drop/1',
    'two/callback-drop/1',
    'three/latency/1',
  ];
  const sweep = createReport([
    ...ids.map((id) => createCase(id, 'recovered', '')),
    createCase('one/status-409/1', 'not-reached', ''),
  ]);
  const found = findUnlisted(createCoverageReport(), sweep, callbackTypeOf);
  expect(found.map((one) => one.case)).toEqual(['one/status-422/1', 'two/callback-drop/1']);
});
