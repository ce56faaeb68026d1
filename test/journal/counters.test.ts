/** Counters of requests and callback attempts. */
import { expect, test } from 'vitest';
import type { Attempt } from '../../src/callbacks/callback.ts';
import { createCounters, durationBounds } from '../../src/journal/counters.ts';

const attempt = (outcome: Pick<Attempt, 'status' | 'error'>): Attempt => ({
  at: '2026-01-01T00:00:00.000Z',
  cause: 'schedule',
  headers: {},
  sent: '{}',
  ...outcome,
});

test('counts a duration in the first bucket whose bound it does not exceed, or in the last bucket', () => {
  const counters = createCounters();
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

test.each([
  ['delivered', { status: 200 }],
  ['delivered', { status: 299 }],
  ['refused', { status: 199 }],
  ['refused', { status: 300 }],
  ['refused', { status: 500 }],
  ['error', { error: 'connection refused' }],
  ['inbox', {}],
] as const)('counts an attempt as %s: %o', (outcome, result) => {
  const counters = createCounters();
  counters.callback({ attempts: [attempt(result)] });
  expect(counters.attempts).toEqual({ delivered: 0, refused: 0, error: 0, inbox: 0, [outcome]: 1 });
});
