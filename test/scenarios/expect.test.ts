/** Expectations are counted in linear time; their conditions are cases of `golden/expectations.txt`. */
import { expect, test } from 'vitest';
import { compileScenario, createRuleSet } from '../../src/scenarios/compile.ts';
import { type RuleCount, recordFiring } from '../../src/scenarios/counts.ts';
import { countFiringsBefore } from '../../src/scenarios/expect.ts';
import type { Rule } from '../../src/scenarios/types.ts';

/** Counts that count how often they are looked at. */
class WatchedCounts extends Map<string, RuleCount> {
  steps = 0;

  override get(key: string): RuleCount | undefined {
    this.steps += 1;
    return super.get(key);
  }

  override *[Symbol.iterator](): MapIterator<[string, RuleCount]> {
    for (const pair of super.entries()) {
      this.steps += 1;
      yield pair;
    }
    return undefined;
  }
}

test('a thousand rules of one name that fire on one request are counted in linear time', async () => {
  const many = 1000;
  const each: Rule = { name: 'each', then: { latency: '0s' } };
  const wanted = { rule: 'each', after: 'each' };
  const scenario = await compileScenario({
    name: 'many',
    rules: Array.from({ length: many }, () => each),
    expect: Array.from({ length: many }, () => wanted),
  });
  const set = createRuleSet([{ scope: 'project', scenarios: [scenario] }]);
  const counts = new WatchedCounts();
  const requestTallies = new Map<string, number>();
  for (const { key } of set.rules) recordFiring(counts, key, 1);
  countFiringsBefore(set.expectations, 1, { ruleCounts: counts, requestTallies });
  expect(counts.steps).toBeLessThan(10 * many);
  expect(new Set(requestTallies.values())).toEqual(new Set([many]));
  expect(JSON.stringify([...counts.values()]).length).toBeLessThan(100 * many);
});
