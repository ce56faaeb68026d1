/** What each effect says became of it: it acted, an earlier rule had decided, or there was nothing for it to do. */
import { expect, test } from 'vitest';
import { createHash } from '../../src/lib/random.ts';
import { emptyPlan } from '../../src/scenarios/decide.ts';
import { compileEffects } from '../../src/scenarios/effects/index.ts';
import type { Then } from '../../src/scenarios/types.ts';

/** What the effect says at one request, from rule to rule, each with the entries that it matched. */
function apply(then: Then, items: readonly (readonly number[])[], countsCallbacks = false) {
  const plan = emptyPlan();
  const count = { met: 1, acted: 0 };
  const said = items.map((matched, index) => {
    const callbackRule = { key: `rule-${index}`, hashed: ['seed'], countsCallbacks, turn: { since: 0 } };
    const occasion = { items: matched, entryCount: 3, random: createHash('seed'), count, now: 0, callbackRule };
    return compileEffects(then).map((effect) => `${effect.kind} ${effect.apply(plan, occasion)}`);
  });
  return { plan, said: said.flat() };
}

test.each<readonly [Then, readonly (readonly number[])[], readonly string[]]>([
  [{ respond: { status: 503 } }, [[], []], ['respond acted', 'respond outdone']],
  [{ latency: '1s' }, [[], []], ['latency acted', 'latency outdone']],
  [{ connection: 'reset' }, [[], []], ['connection acted', 'connection outdone']],
  [{ limit: { requests: 0, per: '1s' } }, [[], []], ['limit acted', 'limit outdone']],
  [{ limit: { requests: 1, per: '1s' } }, [[], []], ['limit idle', 'limit outdone']],
  [{ callback: { drop: true } }, [[], []], ['callback acted', 'callback outdone']],
  [{ refuse: 'no' }, [[1], [1], [1, 2], []], ['refuse acted', 'refuse outdone', 'refuse acted', 'refuse idle']],
  [{ fail: 'no' }, [[1], [1], [1, 2], []], ['fail acted', 'fail outdone', 'fail acted', 'fail idle']],
])('%j', (then, items, said) => {
  expect(apply(then, items).said).toEqual(said);
});

test('of rules that count callbacks all go along, and the first of the others', () => {
  const counting = apply({ callback: { drop: true } }, [[], []], true);
  expect(counting.said).toEqual(['callback acted', 'callback acted']);
  expect(counting.plan.callbackRules.map(({ key }) => key)).toEqual(['rule-0', 'rule-1']);
});

test.each<readonly [Then, object]>([
  [{ respond: { status: 503 } }, { respond: { status: 503, headers: {}, body: undefined, processed: false } }],
  [{ respond: { status: 503 }, processed: true }, { respond: { processed: true } }],
  [{ connection: 'reset' }, { connection: { fault: 'reset', processed: false } }],
  [{ connection: 'hang', processed: true }, { connection: { fault: 'hang', processed: true } }],
  [{ refuse: 'no' }, { refused: new Map([[1, 'no']]) }],
  [{ fail: 'no' }, { failed: new Map([[1, { reason: 'no' }]]) }],
  [{ fail: 'no', after: '2s' }, { failed: new Map([[1, { reason: 'no', afterMs: 2000 }]]) }],
  [{ callback: { copies: 2 } }, { callbackRules: [{ disturbance: { copies: 2, delayMs: 0 } }] }],
  [{ callback: { delay: '3s' } }, { callbackRules: [{ disturbance: { delayMs: 3000 } }] }],
])('what %j comes to', (then, plan) => {
  expect(apply(then, [[1]]).plan).toMatchObject(plan);
});
