import { createHash } from '../../../src/lib/random.ts';
import { emptyPlan, type Plan } from '../../../src/scenarios/effects/effect.ts';
import { compileEffects, type Then } from '../../../src/scenarios/effects/index.ts';

/** The plan after several rules have applied the same `then`, and the result of each. */
interface Applied {
  readonly plan: Plan;
  readonly results: readonly string[];
}

/** Applies `then` as several rules of one request with three entries; `items` are the matched entries of each rule. */
export function applyEffect(
  then: Then,
  items: readonly (readonly number[])[],
  countsCallbacks = false,
  clockRate = 1,
): Applied {
  const plan = emptyPlan();
  const count = { met: 1, acted: 0 };
  const results = items.flatMap((matched, index) => {
    const callbackRule = { key: `rule-${index}`, hashed: ['seed'], countsCallbacks, turn: { since: 0 } };
    const random = createHash('seed');
    const context = { items: matched, entryCount: 3, random, count, now: 0, clockRate, callbackRule };
    return compileEffects(then).map(({ apply }) => apply(plan, context));
  });
  return { plan, results };
}
