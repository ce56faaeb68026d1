/** Time spans of rules with `scope: server`: they begin in all projects at once, and last on the clock of each. */
import { expect, test } from 'vitest';
import { claimRule, type RuleCounts } from '../../src/scenarios/counts.ts';

const turn = { during: { afterRequests: 1, forMs: 30_000 }, since: 0 };
const hour = 3_600_000;

/** Returns a function that makes a request in a project, and returns whether the rule may fire. */
function createServer() {
  const counts: RuleCounts = new Map();
  return (project: RuleCounts, wallMs: number, now: number, clockRate = 1): boolean => {
    const server = { counts, wallMs, clockRate };
    return claimRule({ key: 'it', isServerWide: true }, turn, { counts: project, server, now }) === undefined;
  };
}

test('on a running clock, the span began when another project opened it', () => {
  const request = createServer();
  const opening: RuleCounts = new Map();
  const ahead: RuleCounts = new Map();
  expect(request(opening, 1000, 1000)).toBe(false);
  expect(request(ahead, 21_000, hour + 21_000)).toBe(true);
  // Its clock was advanced by 10 s.
  expect(request(ahead, 21_000, hour + 31_000)).toBe(false);
  expect(request(opening, 30_999, 30_999)).toBe(true);
  expect(request(new Map(), 31_000, 31_000)).toBe(false);
});

test('on a clock with a rate, the span lasts as long as it does on that clock', () => {
  const request = createServer();
  expect(request(new Map(), 1000, 1000)).toBe(false);
  expect(request(new Map(), 2000, 20_000, 20)).toBe(true);
  expect(request(new Map(), 2499, 29_980, 20)).toBe(true);
  expect(request(new Map(), 2500, 30_000, 20)).toBe(false);
});

test('on a frozen clock, the span begins with the next request of the project', () => {
  const request = createServer();
  const frozen: RuleCounts = new Map();
  expect(request(new Map(), 1000, 1000)).toBe(false);
  expect(request(frozen, hour, 5000, 0)).toBe(true);
  expect(request(frozen, 2 * hour, 34_999, 0)).toBe(true);
  expect(request(frozen, 2 * hour, 35_000, 0)).toBe(false);
});

test('a span of a former run of the server does not count', () => {
  const project: RuleCounts = new Map();
  const before = createServer();
  expect([before(project, 1000, 1000), before(project, 2000, 2000)]).toEqual([false, true]);
  const after = createServer();
  expect([after(project, hour, hour), after(project, hour, hour)]).toEqual([false, true]);
});
