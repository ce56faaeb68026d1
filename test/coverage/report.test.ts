/** Percentages of the report: everything has the same weight, and only all of it is 100. */
import { expect, test } from 'vitest';
import { createCoverageCounts, operationMarks } from '../../src/coverage/marks.ts';
import { type CoverageCatalog, toCoverageReport } from '../../src/coverage/report.ts';

const condition = (kind: string) => ({ kind, about: kind, provoke: kind });

const meetable = (kinds: number): CoverageCatalog => ({
  operations: [
    {
      operation: 'one',
      method: 'POST',
      path: '/one',
      mode: 'async',
      failures: Array.from({ length: kinds }, (_, n) => condition(`kind-${n}`)),
    },
  ],
  callbacks: [],
});

test.each([
  [3, 0, 0],
  [3, 1, 25],
  [2, 1, 33.3],
  [2, 2, 66.6],
  [1999, 1999, 99.9],
  [2, 3, 100],
])('an operation with %i failures, of which %i items occurred, has %d %%', (kinds, met, percent) => {
  const counted = createCoverageCounts();
  const marks = operationMarks(counted, 'one');
  const first = { project: 'p', request: 'r' };
  for (let n = 0; n < Math.min(kinds, met); n += 1) marks.met.set(`kind-${n}`, { count: 1, taken: 0, first });
  if (met > kinds) marks.succeeded = 1;
  const report = toCoverageReport(meetable(kinds), counted);
  expect(report).toMatchObject({ met, total: kinds + 1, percent });
  expect(report.failures).toMatchObject({ met: Math.min(kinds, met), total: kinds });
  expect(report.callbacks).toEqual({ met: 0, total: 0, percent: 100 });
});

test('ignores counts of unknown failures', () => {
  const counted = createCoverageCounts();
  operationMarks(counted, 'another').succeeded = 1;
  operationMarks(counted, 'one').met.set('gone', { count: 1, taken: 0, first: { project: null, request: 'r' } });
  expect(toCoverageReport(meetable(1), counted)).toMatchObject({ met: 0, total: 2 });
});
