/** The hint of a run that projects count on their own. */
import { expect, test } from 'vitest';
import { addCount, explainOwnCounts, noCounts } from '../../../../src/cli/run/verdict/own-counts.ts';
import { compileScenario } from '../../../../src/scenarios/compile.ts';
import type { Rule } from '../../../../src/scenarios/types.ts';

async function explain(more: Omit<Rule, 'then'>, met: readonly number[]): Promise<string | undefined> {
  const { rules } = await compileScenario({ name: 'it', rules: [{ then: { respond: { status: 503 } }, ...more }] });
  const [rule] = rules;
  return rule && explainOwnCounts(rule, met.reduce(addCount, noCounts));
}

const afterFive: Rule['when'] = { during: { afterRequests: 5, for: '30s' } };

test.each<[string, Omit<Rule, 'then'>, readonly number[], string]>([
  [
    'a span after requests',
    { when: afterFive },
    [1, 2, 1, 2],
    '4 counts reached 1 to 2 requests, but the rule needs 6;',
  ],
  ['the nth request', { when: { request: { nth: 3 } } }, [2, 2], '2 counts reached 2 requests, but the rule needs 3;'],
  ['a range', { when: { request: { from: 2 } } }, [1, 1], '2 counts reached 1 request, but the rule needs 2;'],
  ['every nth', { when: { ...afterFive, request: { every: 4 } } }, [7, 7], 'reached 7 requests, but the rule needs 8;'],
])('%s', async (_, rule, met, hint) => {
  const text = await explain(rule, met);
  expect(text).toContain(hint);
  expect(text).toContain('add "scope: server"');
});

test.each<[string, Omit<Rule, 'then'>, readonly number[]]>([
  ['it counts over all projects', { scope: 'server', when: afterFive }, [3, 3]],
  ['all projects together made too few requests', { when: afterFive }, [2, 3]],
  ['a project made enough', { when: afterFive }, [1, 6]],
  ['it counts nothing', {}, []],
  ['it can never fire', { when: { ...afterFive, request: { nth: 3 } } }, [4, 4]],
])('there is no hint if %s', async (_, rule, met) => {
  expect(await explain(rule, met)).toBeUndefined();
});
