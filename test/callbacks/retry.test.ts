import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDelivered, isEndpointGone, nextAttempt } from '../../src/callbacks/retry.ts';
import type { DeliveryResult } from '../../src/callbacks/send.ts';

const retriesMs = [5000, 30_000, 120_000, 600_000];
const wallMs = Date.UTC(2026, 0, 1, 12, 0, 0);
const dayMs = 24 * 3_600_000;

function wait(outcome: DeliveryResult, attempt = 1, clockRate = 1): number | undefined {
  const atMs = 1_000_000;
  const due = nextAttempt({ attempt, atMs, clockRate, retriesMs, outcome, wallMs });
  return due === undefined ? undefined : due - atMs;
}

test('each attempt has its own delay after the one before, until none are left', () => {
  const waits = [1, 2, 3, 4, 5, 6].map((attempt) => wait({ error: 'connection refused' }, attempt));
  expect(waits).toEqual([5000, 30_000, 120_000, 600_000, undefined, undefined]);
});

test.each([
  ['later seconds', '60', 60_000],
  ['sooner seconds', '1', 5000],
  ['zero', '0', 5000],
  ['spaces around', ' 60 ', 60_000],
  ['more than a day', '90000', dayMs],
  ['more than a number holds', '9'.repeat(400), dayMs],
  ['a date', 'Thu, 01 Jan 2026 12:01:00 GMT', 60_000],
  ['a date of RFC 850', 'Thursday, 01-Jan-26 12:01:00 GMT', 60_000],
  ['a date of asctime', 'Thu Jan  1 12:01:00 2026', 60_000],
  ['a past date', 'Thu, 01 Jan 2025 12:00:00 GMT', 5000],
  ['a date beyond a day', 'Fri, 01 Jan 2027 12:00:00 GMT', dayMs],
  ['an impossible date', 'Thu, 99 Jan 2026 12:01:00 GMT', 5000],
  ['an ISO date', '2026-01-01T12:01:00Z', 5000],
  ['a date with a word before', 'on Thu, 01 Jan 2026 12:01:00 GMT', 5000],
  ['a date of RFC 850 with a word before', 'on Thursday, 01-Jan-26 12:01:00 GMT', 5000],
  ['a date of asctime with a word before', 'on Thu Jan  1 12:01:00 2026', 5000],
  ['a date of asctime with a remark', 'Thu Jan  1 12:01:00 2026 (soon)', 5000],
  ['a date in another spelling', 'Jan 1, 2026 12:01:00', 5000],
  ['a date and time without a zone', '2026-01-01 12:01:00', 5000],
  ['a negative number', '-60', 5000],
  ['a fraction', '60.5', 5000],
  ['a word', 'soon', 5000],
  ['nothing', '', 5000],
])('retry-after with %s: %s', (_, retryAfter, expected) => {
  expect(wait({ status: 503, retryAfter })).toBe(expected);
});

test.each([
  [20, '60', 1_200_000],
  [20, 'Thu, 01 Jan 2026 12:01:00 GMT', 1_200_000],
  [20, '90000', 20 * dayMs],
  [20, '0', 5000],
  [0.1, '60', 6000],
  [0.1, '49', 5000],
  [0, '60', 60_000],
])('at the rate %d, retry-after %j is real time: %d ms of the project', (rate, retryAfter, expected) => {
  expect(wait({ status: 503, retryAfter }, 1, rate)).toBe(expected);
});

test('the rate does not change the delays of the profile, which are of the project', () => {
  expect(wait({ status: 503 }, 4, 20)).toBe(600_000);
});

test('does not retry after a delivery or a 410', () => {
  expect(wait({ status: 204, retryAfter: '60' })).toBeUndefined();
  expect(wait({ status: 410 })).toBeUndefined();
});

test('retry-after does not add an attempt', () => {
  expect(wait({ status: 503, retryAfter: '60' }, 5)).toBeUndefined();
});

test('only 2xx counts as delivered, and only 410 as gone', () => {
  const statuses = [200, 204, 299, 199, 300, 302, 404, 410, 500];
  expect(statuses.filter((status) => isDelivered({ status }))).toEqual([200, 204, 299]);
  expect(statuses.filter((status) => isEndpointGone({ status }))).toEqual([410]);
  expect(isDelivered({ error: 'connection refused' })).toBe(false);
  expect(isEndpointGone({ error: 'connection refused' })).toBe(false);
});

test('the next attempt is never before its delay, nor after it and a day', () => {
  const retryAfter = fc.oneof(
    fc.string(),
    fc.nat().map(String),
    fc.date({ noInvalidDate: true }).map((d) => d.toUTCString()),
  );
  const failure = fc.oneof(
    fc.record({ error: fc.string() }),
    fc.record({ status: fc.integer({ min: 300, max: 599 }).filter((status) => status !== 410), retryAfter }),
  );
  fc.assert(
    fc.property(failure, fc.array(fc.nat(2 * dayMs), { minLength: 1 }), fc.nat(), (outcome, delays, atMs) => {
      const due = nextAttempt({ attempt: 1, atMs, clockRate: 1, retriesMs: delays, outcome, wallMs }) ?? Number.NaN;
      expect(due).toBeGreaterThanOrEqual(atMs + (delays[0] ?? 0));
      expect(due).toBeLessThanOrEqual(atMs + Math.max(delays[0] ?? 0, dayMs));
    }),
  );
});
