/** Counters of requests. Flows over HTTP have those of callback attempts. */
import { expect, test } from 'vitest';
import { Counters, durationBounds } from '../../src/journal/counters.ts';

test('counts a duration in the first bucket whose bound it does not exceed, or in the last bucket', () => {
  const counters = new Counters();
  const count = (durationMs: number) => counters.request({ operation: 'asyncImportJobs', status: 202, durationMs });
  for (const bound of durationBounds) count(bound);
  for (const bound of durationBounds) count(bound + 0.001);
  count(0);
  const { byDuration, totalMs } = counters.operations.get('asyncImportJobs') ?? expect.fail('nothing was counted');
  const between = new Array(durationBounds.length - 1).fill(2);
  expect(byDuration).toEqual([2, ...between, 1]);
  const sum = durationBounds.reduce((total, bound) => total + bound, 0);
  expect(totalMs).toBeCloseTo(2 * sum + durationBounds.length * 0.001);
});
