/** The seed of a shrunk scenario, and its form; how scenarios are joined is a case of `cli/golden/shrink.txt`. */
import { expect, test } from 'vitest';
import { joinScenarios, toScenario, toYaml } from '../../../src/cli/shrink/scenario.ts';
import { compileScenario } from '../../../src/scenarios/compile.ts';
import type { Rule, Scenario } from '../../../src/scenarios/types.ts';

const then = { respond: { status: 503 } };
const compile = (scenario: Scenario) => compileScenario(scenario);

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
