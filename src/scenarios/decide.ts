/** Decides what the active rules do to one request, and notes why each did or did not fire. Reads no clock. */
import { createHash } from '../lib/random.ts';
import type { CompiledRule, ScopedRule } from './compiled.ts';
import {
  type Activation,
  activationOf,
  type Counting,
  claimRule,
  countOf,
  metBy,
  type RecordedCount,
  type RecordedCounts,
  readServerCount,
  recordRuleFiring,
  type Turn,
} from './counts.ts';
import { type EffectResult, emptyPlan, type Plan } from './effects/effect.ts';
import type { Stage, Trace } from './explain.ts';
import type { Match, Matches } from './matching.ts';

export interface RuleState extends Counting {
  /** When each layer of scenarios was activated, by layer. */
  readonly activations: Map<string, Activation>;
  /** Number of the project change that this request causes. */
  readonly change: number;
  /** Used for scenarios without their own seed. */
  readonly seed: string;
}

export interface Decision {
  readonly plan: Plan;
  /** What became of the evaluated rules, in their order. */
  readonly traces: readonly Trace[];
  /** Counts of the matched rules with `scope: server`, before they counted this request. */
  readonly serverCounts: RecordedCounts;
}

/** Applies the rules in order and counts them. For each kind of effect and each entry, the first matching rule wins. */
export function decide({ results }: Pick<Matches, 'results'>, entryCount: number, state: RuleState): Decision {
  const plan = emptyPlan();
  const serverCounts: Record<string, RecordedCount> = {};
  const progress = { state, plan, entryCount, serverCounts };
  return { plan, traces: results.map((one) => ('stage' in one ? one : fire(one, progress))), serverCounts };
}

interface Progress {
  readonly plan: Plan;
  readonly state: RuleState;
  readonly entryCount: number;
  readonly serverCounts: Record<string, RecordedCount>;
}

/** Fires a matched rule on its entries, unless a condition on counts, time or chance is not met. */
function fire({ rule: scoped, items }: Match, { state, plan, entryCount, serverCounts }: Progress): Trace {
  const { key, rule } = scoped;
  const { isServerWide, countsCallbacks, chance } = rule;
  const turn = toTurn(scoped, state);
  const count = countOf(state.counts, key);
  const counted = { key, isServerWide };
  if (isServerWide && !countsCallbacks) serverCounts[key] = readServerCount(key, state);
  const missed = countsCallbacks ? undefined : claimRule(counted, turn, state);
  if (missed) return { rule: scoped, stage: missed.code, saw: missed.saw };
  const hashed = [rule.seed ?? state.seed, rule.id];
  const random = createHash(...hashed);
  const drawn = countsCallbacks
    ? items
    : drawItems(rule, items, (name) => random.fraction(`chance:${metBy(counted, state)}${name}`));
  if (!drawn) return { rule: scoped, stage: 'chance', saw: items.length };
  const callbackRule = {
    ...{ key, hashed, countsCallbacks, turn },
    ...(isServerWide && { isServerWide }),
    ...(chance !== undefined && { chance }),
    ...(rule.item && { items: drawn }),
  };
  const {
    now,
    server: { clockRate },
  } = state;
  const applied = rule.effects.map((effect) =>
    effect.apply(plan, { items: drawn, entryCount, random, count, now, clockRate, callbackRule }),
  );
  if (applied.includes('acted') && !countsCallbacks) recordRuleFiring(counted, state, state.change);
  const stage = toStage(applied, countsCallbacks);
  return { rule: scoped, stage, saw: drawn.length, ...(rule.item && { items: drawn }) };
}

function toStage(applied: readonly EffectResult[], countsCallbacks: boolean): Stage {
  if (applied.includes('acted')) return countsCallbacks ? 'planned' : 'fired';
  return applied.includes('idle') ? 'idle' : 'outdone';
}

function toTurn({ rule, layer }: ScopedRule, { activations, now, change }: RuleState): Turn {
  const known = activationOf(activations, layer);
  const activation = known ?? { atMs: now, change };
  if (!known) activations.set(layer, activation);
  const since = activation.atMs;
  const { request, during, times } = rule;
  return { since, ...(request && { request }), ...(during && { during }), ...(times !== undefined && { times }) };
}

/** Draws the entries on which the rule fires, by its `chance`. Returns undefined if it does not fire at all. */
function drawItems(
  { chance, item }: CompiledRule,
  items: readonly number[],
  fraction: (name: string) => number,
): readonly number[] | undefined {
  if (chance === undefined) return items;
  if (!item) return fraction('') < chance ? items : undefined;
  const drawn = items.filter((number) => fraction(`:${number}`) < chance);
  return drawn.length > 0 ? drawn : undefined;
}
