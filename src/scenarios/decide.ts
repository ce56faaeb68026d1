/** Decides what the active rules do to one request, and notes why each did or did not fire. Reads no clock. */
import { createHash } from '../lib/random.ts';
import type { CompiledRule, ScopedRule } from './compiled.ts';
import {
  type Activation,
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
import type { Outline } from './explain.ts';
import type { Matches } from './matching.ts';
import { createNoteTaker, type Note, type NoteRun } from './notes.ts';
import type { SecretTests } from './secret-tests.ts';

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
  /** Notes about the evaluated rules. */
  readonly notes: readonly NoteRun[];
  /** Explains why the other rules were skipped. */
  readonly outline: Outline;
  readonly secretTests: SecretTests;
  /** Counts of the matched rules with `scope: server`, before they counted this request. */
  readonly serverCounts: RecordedCounts;
  /** Memory use of the notes and tests, in bytes. */
  readonly size: number;
}

const noNotes: readonly NoteRun[] = [];
const noCounts: RecordedCounts = {};

/** Applies the rules in order and counts them. For each kind of effect and each entry, the first matching rule wins. */
export function decide(matches: Matches, entryCount: number, state: RuleState): Decision {
  const plan = emptyPlan();
  const { rules, results, outline, secretTests } = matches;
  if (rules.length === 0) {
    const nothing = { plan, notes: noNotes, serverCounts: noCounts };
    return { ...nothing, outline, secretTests, size: sizeOfTests(secretTests) + sizeOfOutline(outline) };
  }
  const notes = createNoteTaker();
  const serverCounts: Record<string, RecordedCount> = {};
  for (const [index, scoped] of rules.entries()) {
    const result = results[index] as (typeof results)[number];
    notes.add(
      scoped.index,
      'code' in result ? result : fire(scoped, result, { state, plan, entryCount, serverCounts }),
    );
  }
  const size = notes.size() + sizeOfTests(secretTests) + sizeOfOutline(outline) + sizeOfCounts(serverCounts);
  return { plan, notes: notes.runs, outline, secretTests, serverCounts, size };
}

function sizeOfTests(tests: SecretTests): number {
  let size = 0;
  for (const name in tests) {
    const result = tests[name];
    size += 40 + name.length + (typeof result === 'string' ? result.length : 0);
  }
  return size;
}

function sizeOfCounts(counts: RecordedCounts): number {
  let size = 0;
  for (const key in counts) size += 120 + key.length;
  return size;
}

function sizeOfOutline({ had }: Outline): number {
  let size = 0;
  for (const path in had) for (const text of had[path] ?? []) size += 40 + 2 * text.length;
  return size;
}

interface Progress {
  readonly plan: Plan;
  readonly state: RuleState;
  readonly entryCount: number;
  readonly serverCounts: Record<string, RecordedCount>;
}

/** Fires a matched rule on these entries, unless a condition on counts, time or chance is not met. */
function fire(scoped: ScopedRule, items: readonly number[], { state, plan, entryCount, serverCounts }: Progress): Note {
  const { key, rule } = scoped;
  const { isServerWide } = rule;
  const turn = toTurn(scoped, state);
  const count = countOf(state.counts, key);
  const counted = { key, isServerWide };
  const countsCallbacks = rule.effects.every(({ scope }) => scope === 'callback');
  if (isServerWide && !countsCallbacks) serverCounts[key] = readServerCount(key, state);
  const missed = countsCallbacks ? undefined : claimRule(counted, turn, state);
  if (missed) return missed;
  const hashed = [rule.seed ?? state.seed, rule.id];
  const random = createHash(...hashed);
  const drawn = countsCallbacks
    ? items
    : drawItems(rule, items, (name) => random.fraction(`chance:${metBy(counted, state)}${name}`));
  if (!drawn) return { code: 'chance', saw: items.length };
  const { chance } = rule;
  const callbackRule = {
    ...{ key, hashed, countsCallbacks, turn },
    ...(isServerWide && { isServerWide }),
    ...(chance !== undefined && { chance }),
  };
  const {
    now,
    server: { clockRate },
  } = state;
  const applied = rule.effects.map((effect) =>
    effect.apply(plan, { items: drawn, entryCount, random, count, now, clockRate, callbackRule }),
  );
  if (applied.includes('acted') && !countsCallbacks) recordRuleFiring(counted, state, state.change);
  return { code: toCode(applied, countsCallbacks), saw: drawn.length };
}

function toCode(applied: readonly EffectResult[], countsCallbacks: boolean): Note['code'] {
  if (applied.includes('acted')) return countsCallbacks ? 'planned' : 'fired';
  return applied.includes('idle') ? 'idle' : 'outdone';
}

function toTurn({ rule, layer }: ScopedRule, { activations, now, change }: RuleState): Turn {
  const activation = activations.get(layer) ?? { atMs: now, change };
  activations.set(layer, activation);
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
