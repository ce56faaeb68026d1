import { expect, test } from 'vitest';
import { applyEffect } from './apply-effect.ts';

test('a request beyond the limit is rejected, and the first rule decides', () => {
  const { plan, results } = applyEffect({ limit: { requests: 0, per: '1s' } }, [[], []]);
  expect(results).toEqual(['acted', 'outdone']);
  expect(plan.limit).toEqual({ retryAfter: 1 });
});

test('a request within the limit is accepted, and later rules are ignored', () => {
  const { plan, results } = applyEffect({ limit: { requests: 1, per: '1s' } }, [[], []]);
  expect(results).toEqual(['idle', 'outdone']);
  expect(plan.limit).toEqual({ retryAfter: undefined });
});

test.each([
  [20, 3],
  [0.5, 120],
  [1000, 1],
  [0, 60],
])('at the rate %d, a client waits %d real seconds for the next window', (rate, seconds) => {
  const { plan } = applyEffect({ limit: { requests: 0, per: '60s' } }, [[]], false, rate);
  expect(plan.limit).toEqual({ retryAfter: seconds });
});
