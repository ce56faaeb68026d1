/** Scenarios are joined in their order, and written so that they parse to the same rules. */
import { expect, test } from 'vitest';
import { joinScenarios, parseRules, toScenario, toYaml } from '../../../src/cli/shrink/scenario.ts';
import { compileScenario } from '../../../src/scenarios/compile.ts';
import type { Rule, Scenario } from '../../../src/scenarios/types.ts';

const then = { respond: { status: 503 } };
const compile = (scenario: Scenario) => compileScenario(scenario);

test('rules keep their order, and get different names', async () => {
  const one = await compile({ name: 'one', seed: 's', rules: [{ name: 'down', then }, { then }] });
  const other = await compile({ name: 'other', seed: 's', priority: 'first', rules: [{ name: 'down', then }] });
  const { frame, rules } = joinScenarios([one, other, one]);
  expect(frame).toEqual({ name: 'one-other', seed: 's', priority: 'first' });
  expect(rules.map(({ name }) => name)).toEqual(['one: down', 'one: rule 2', 'other: down']);
  expect(parseRules(frame, rules)).toBeDefined();
  const alone = joinScenarios([one]);
  expect(alone.frame).toEqual({ name: 'one', seed: 's' });
  expect(alone.rules.map(({ name }) => name)).toEqual(['down', 'rule 2']);
});

test('a seed stays only if a random value needs it, and if all scenarios have the same', async () => {
  const frame = { name: 'one', seed: 's' };
  const needing: readonly Rule[] = [
    { chance: 0.5, then },
    { then: { latency: { min: '1s', max: '2s' } } },
    { then: { callback: { order: 'shuffle' } } },
  ];
  for (const rule of needing) expect(toScenario(frame, [{ name: 'r', ...rule }]).seed).toBe('s');
  expect(toScenario(frame, [{ name: 'r', then }]).seed).toBeUndefined();
  const [one, other] = await Promise.all(['a', 'b'].map((seed) => compile({ name: seed, seed, rules: [{ then }] })));
  expect(one && other && joinScenarios([one, other]).frame.seed).toBeUndefined();
});

test('conditions and effects are on one line each', () => {
  const rules = [
    {
      name: 'lost: 1',
      then: { respond: { status: 503, headers: { 'retry-after': '30' } } },
      chance: 0.5,
      when: { operation: 'asyncImportJobs', request: { nth: 2 } },
    },
  ];
  expect(toYaml({ name: 'a', description: 'one: two', rules })).toBe(`name: a
description: "one: two"
rules:
  - name: "lost: 1"
    when: { operation: asyncImportJobs, request: { nth: 2 } }
    chance: 0.5
    then: { respond: { status: 503, headers: { retry-after: "30" } } }
`);
});
