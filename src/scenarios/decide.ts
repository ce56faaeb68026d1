/** Decides what the rules in force do to one request, and notes why each did or did not fire. Reads no clock. */

import { createHash } from '../base/random.ts';
import type { Entry } from '../operations/task.ts';
import type { CompiledRule, RuleSet, ScopedRule } from './compile.ts';
import { type Activation, claimTurn, countOf, noteDeed, type RuleCounts, type Turn } from './counts.ts';
import type { Applied, Plan } from './effects/effect.ts';
import { createLook, firstIds, hidden, type Look, toShort } from './glimpse.ts';
import { type ItemTest, matchesItem } from './item.ts';
import { type FieldTest, valueAt } from './matcher.ts';
import { fits, type Note, type Outline } from './trace.ts';

/** What of a request the rules look at. */
export interface Subject {
  readonly operation: string;
  readonly project: string;
  readonly subproject: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** The entries that the contract let through. */
  readonly entries: readonly Entry[];
  /** Those that it had refused. */
  readonly refused: readonly { readonly order: number }[];
  /** Whether a text is recorded nowhere, whatever the name of its header. */
  readonly isSecret?: (text: string) => boolean;
  /** What conditions on secrets came to when this request was first made, where it is played again without them. */
  readonly secretTests?: SecretTests;
}

/** Whether secrets were as a rule wanted them, by the rule's key, the field and the entry. */
export type SecretTests = Readonly<Record<string, boolean>>;

/** What a project remembers of its rules, and what moves with it. */
export interface RuleState {
  readonly counts: RuleCounts;
  /** When each layer of scenarios was switched on. */
  readonly activations: Map<string, Activation>;
  /** The project's clock in milliseconds. */
  readonly now: number;
  /** The number of the change of the world that the request is. */
  readonly change: number;
  /** In place of a scenario's own. */
  readonly seed: string;
}

export interface Decision {
  readonly plan: Plan;
  /** Of the rules that were looked at. */
  readonly notes: readonly Note[];
  /** What tells why the others were not. */
  readonly outline: Outline;
  readonly secretTests: SecretTests;
}

export const emptyPlan = (): Plan => ({
  respond: undefined,
  latencyMs: undefined,
  limit: undefined,
  connection: undefined,
  refused: undefined,
  failed: undefined,
  callbackRules: [],
});

/** Takes the rules in order; the first that matches wins for each kind of effect and each entry. Counts as it goes. */
export function decide(rules: RuleSet, subject: Subject, state: RuleState): Decision {
  const plan = emptyPlan();
  const notes: Note[] = [];
  const secretTests: Record<string, boolean> = {};
  const progress = { plan, secretTests, look: createLook(subject.entries) };
  for (const scoped of rules.of(subject.operation, subject.entries)) {
    notes.push(consider(scoped, subject, state, progress));
  }
  return { plan, notes, outline: toOutline(subject), secretTests };
}

function toOutline({ project, subproject, entries, refused }: Subject): Outline {
  const numbers = refused.length === 0 ? refused : refused.filter(isEntry);
  return { project, subproject, count: entries.length + numbers.length, ids: firstIds(entries) };
}

/** What stands between two numbers is a route, and no entry. */
function isEntry({ order }: { readonly order: number }): boolean {
  return Number.isInteger(order);
}

/** What is gathered from rule to rule. */
interface Progress {
  readonly plan: Plan;
  readonly secretTests: Record<string, boolean>;
  readonly look: Look;
}

function consider(scoped: ScopedRule, subject: Subject, state: RuleState, progress: Progress): Note {
  const { key, rule } = scoped;
  const { plan, secretTests, look } = progress;
  const looksAtFields = rule.where.length > 0 || rule.item?.by === 'fields';
  const see = looksAtFields ? createSeer(key, subject, secretTests) : seePlain;
  const failed = checkSubject(rule, subject, see);
  if (failed) return { key, rule, ...failed };
  const items = matchItems(rule, subject.entries, see);
  if (items.length === 0 && rule.item) return { key, rule, ...missItem(rule.item, subject), had: look(rule.item, see) };
  const turn = toTurn(scoped, state);
  const count = countOf(state.counts, key);
  const countsCallbacks = rule.effects.length === 1 && rule.effects[0]?.kind === 'callback';
  const missed = countsCallbacks ? undefined : claimTurn(turn, count, state.now);
  if (missed) return { key, rule, ...missed };
  const hashed = [rule.seed ?? state.seed, rule.id];
  const random = createHash(...hashed);
  const drawn = countsCallbacks
    ? items
    : drawItems(rule, items, (name) => random.fraction(`chance:${count.met}${name}`));
  if (!drawn) return { key, rule, code: 'chance', saw: items.length };
  const { chance } = rule;
  const callbackRule = { key, hashed, countsCallbacks, turn, ...(chance !== undefined && { chance }) };
  const applied = rule.effects.map((effect) =>
    effect.apply(plan, { items: drawn, random, count, now: state.now, callbackRule }),
  );
  if (applied.includes('acted') && !countsCallbacks) noteDeed(state.counts, key, state.change);
  return { key, rule, code: toCode(applied, countsCallbacks), saw: drawn.length };
}

function missItem(item: ItemTest, { entries, refused }: Subject): Omit<Note, 'key' | 'rule'> {
  const wasRefused = item.by === 'number' && refused.some((one) => isEntry(one) && item.test(one.order));
  const saw = entries.length + refused.filter(isEntry).length;
  return { code: 'item', saw, wasRefused };
}

function toCode(applied: readonly Applied[], countsCallbacks: boolean): Note['code'] {
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

/** Of the entries those on which chance lets the rule act; undefined where it does not act at all. */
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

/** Tests one field of the request, or of an entry; what secrets came to is noted, or taken from what was noted. */
type See = (field: FieldTest, value: unknown, item?: number) => boolean;

const seePlain: See = ({ test }, value) => test(value);

function createSeer(key: string, subject: Subject, noted: Record<string, boolean>): See {
  const { secretTests } = subject;
  return (field, value, item) => {
    const isToNote = holdsSecret(field, value, subject);
    if (!isToNote && !secretTests) return field.test(value);
    const name = `${key} ${field.path}${item === undefined ? '' : ` ${item}`}`;
    const result = secretTests?.[name] ?? field.test(value);
    if (isToNote) noted[name] = result;
    return result;
  };
}

/** A header of any name may carry a key. */
function holdsSecret({ isSecret, keys }: FieldTest, value: unknown, subject: Subject): boolean {
  return isSecret || (keys[0] === 'headers' && typeof value === 'string' && subject.isSecret?.(value) === true);
}

function checkSubject(rule: CompiledRule, subject: Subject, see: See): Omit<Note, 'key' | 'rule'> | undefined {
  if (!fits(rule.project, subject.project)) return { code: 'project', saw: subject.project };
  if (!fits(rule.subproject, subject.subproject)) return { code: 'subproject', saw: subject.subproject };
  for (const field of rule.where) {
    const source = field.keys[0] === 'headers' ? subject : subject.body;
    const value = valueAt(source, field.keys);
    if (see(field, value)) continue;
    if (value === undefined) return { code: 'where', saw: undefined, field };
    // In words at once: the journal keeps notes, and is not to keep a body's objects with them.
    return { code: 'where', saw: toShort(holdsSecret(field, value, subject) ? hidden : value), field };
  }
  return undefined;
}

function matchItems({ item }: CompiledRule, entries: readonly Entry[], see: See): readonly number[] {
  if (!item) return entries.map((entry) => entry.item);
  const found: number[] = [];
  for (const entry of entries) if (matchesItem(item, entry, see)) found.push(entry.item);
  return found;
}
