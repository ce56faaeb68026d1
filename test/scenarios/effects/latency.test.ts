import { expect, test } from 'vitest';
import { createHash } from '../../../src/lib/random.ts';
import { emptyPlan } from '../../../src/scenarios/effects/effect.ts';
import { latency as effect, type Latency } from '../../../src/scenarios/effects/latency.ts';

/** The delays of the first requests on which a rule fires, in milliseconds. */
function draw(latency: Latency, seed = 'seed', count = 2000): number[] {
  const apply = effect.compile({ latency });
  const random = createHash(seed, 'project', 'rule');
  const callbackRule = { key: 'rule', hashed: [seed], countsCallbacks: false, turn: { since: 0 } };
  return Array.from({ length: count }, (_, index) => {
    const plan = emptyPlan();
    const count = { met: index + 1, acted: 0 };
    expect(apply?.(plan, { items: [1], entryCount: 1, random, count, now: 0, clockRate: 1, callbackRule })).toBe(
      'acted',
    );
    return plan.latencyMs ?? -1;
  });
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0;
}

test('a fixed delay is the same for every request', () => {
  expect(new Set(draw('2s', 'seed', 10))).toEqual(new Set([2000]));
});

test('min and max distribute the delays evenly between them', () => {
  const waits = draw({ min: '100ms', max: '300ms' });
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(100);
  expect(Math.max(...waits)).toBeLessThanOrEqual(300);
  for (const share of [0.1, 0.25, 0.5, 0.75, 0.9]) {
    expect(Math.abs(quantile(waits, share) - (100 + 200 * share))).toBeLessThan(10);
  }
});

test.each([
  ['200ms', '400ms'],
  ['50ms', '80ms'],
  ['1s', '1s'],
])('the delays have the median %s and the 99th percentile %s within 5 %%', (median, p99) => {
  const waits = draw({ median, p99 });
  const ms = (duration: string) =>
    duration.endsWith('ms') ? Number.parseFloat(duration) : Number.parseFloat(duration) * 1000;
  expect(Math.abs(quantile(waits, 0.5) / ms(median) - 1)).toBeLessThan(0.05);
  expect(Math.abs(quantile(waits, 0.99) / ms(p99) - 1)).toBeLessThan(0.05);
});

test('the same seed gives the same delays, and another seed gives others', () => {
  const latency = { median: '100ms', p99: '1s' };
  expect(draw(latency, 'one', 50)).toEqual(draw(latency, 'one', 50));
  expect(draw(latency, 'one', 50)).not.toEqual(draw(latency, 'two', 50));
});

test.each([
  { median: '0s', p99: '0s' },
  { median: '0s', p99: '10m' },
  { min: '5s', max: '5s' },
])('%j gives delays from 0 to 10 minutes', (latency) => {
  expect(draw(latency as Latency).filter((ms) => !(ms >= 0 && ms <= 600_000))).toEqual([]);
});
