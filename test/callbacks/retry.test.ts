/** Values of `retry-after` as receivers write them. */
import { expect, test } from 'vitest';
import { nextAttempt } from '../../src/callbacks/retry.ts';

const wallMs = Date.UTC(2026, 0, 1, 12, 0, 0);
const dayMs = 24 * 3_600_000;

test.each([
  ['later seconds', ' 60 ', 60_000],
  ['sooner seconds', '1', 5000],
  ['more than a number holds', '9'.repeat(400), dayMs],
  ['a date', 'Thu, 01 Jan 2026 12:01:00 GMT', 60_000],
  ['a date of RFC 850', 'Thursday, 01-Jan-26 12:01:00 GMT', 60_000],
  ['a date of asctime', 'Thu Jan  1 12:01:00 2026', 60_000],
  ['a past date', 'Thu, 01 Jan 2025 12:00:00 GMT', 5000],
  ['a date beyond a day', 'Fri, 01 Jan 2027 12:00:00 GMT', dayMs],
  ['a date that HTTP does not have', '2026-01-01T12:01:00Z', 5000],
  ['a date with a remark', 'Thu Jan  1 12:01:00 2026 (soon)', 5000],
  ['no positive integer', '-60', 5000],
])('%s: %j', (_what, retryAfter, expected) => {
  const attempt = { attempt: 1, atMs: 1_000_000, clockRate: 1, retriesMs: [5000], wallMs };
  expect(nextAttempt({ ...attempt, outcome: { status: 503, retryAfter } })).toBe(1_000_000 + expected);
});
