/** Decides what the rules in force do to one request, and notes why each did or did not fire. Reads no clock. */

import type { Json } from '../base/json.ts';
import { createHash } from '../base/random.ts';
import type { Entry } from '../operations/task.ts';
import type { CompiledRule, RequestRange, RuleSet, ScopedRule } from './compile.ts';
import type { Plan } from './effects/effect.ts';
import { matchesGlob } from './glob.ts';
import { valueAt } from './matcher.ts';
import { hidden, type Note } from './trace.ts';

/** How often a rule's conditions were met, and how often it acted. */
export interface RuleCount {
  met: number;
  acted: number;
}

/** A project's counts, by the rule's key. */
export type RuleCounts = Map<string, RuleCount>;

/** What of a request the rules look at. */
export interface Subject {
  readonly operation: string;
  readonly project: string;
  readonly subproject: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** The entries that the contract let through. */
  readonly entries: readonly Entry[];
}

export interface Decision {
  readonly plan: Plan;
  readonly notes: readonly Note[];
}

export const emptyPlan = (): Plan => ({
  respond: undefined,
  latencyMs: undefined,
  refused: new Map(),
  failed: new Map(),
  callbackRules: [],
});

/** Takes the rules in order; the first that matches wins for each kind of effect and each entry. Counts as it goes. */
export function decide(rules: RuleSet, subject: Subject, counts: RuleCounts, seed: string): Decision {
  const plan = emptyPlan();
  const made: Note[] = [];
  for (const scoped of rules.of(subject.operation)) made.push(consider(scoped, subject, counts, seed, plan));
  return { plan, notes: made };
}

function consider({ key, rule }: ScopedRule, subject: Subject, counts: RuleCounts, seed: string, plan: Plan): Note {
  const failed = checkSubject(rule, subject);
  if (failed) return { key, rule, ...failed };
  const items = matchItems(rule, subject.entries);
  if (items.length === 0 && rule.item) return { key, rule, code: 'item', saw: subject.entries.length };
  const countsCallbacks = rule.effects.length === 1 && rule.effects[0]?.kind === 'callback';
  const count = countOf(counts, key);
  if (!countsCallbacks) {
    count.met += 1;
    if (!isInRange(rule.request, count.met)) return { key, rule, code: 'request', saw: count.met };
    if (rule.times !== undefined && count.acted >= rule.times) return { key, rule, code: 'times', saw: count.acted };
  }
  const random = createHash(rule.seed ?? seed, subject.project, key);
  const { request, times } = rule;
  const callbackRule = { key, countsCallbacks, ...(request && { request }), ...(times !== undefined && { times }) };
  let acted = false;
  for (const effect of rule.effects) {
    acted = effect.apply(plan, { items, random, count: count.met, callbackRule }) || acted;
  }
  if (!acted) return { key, rule, code: 'outdone', saw: items.length };
  if (countsCallbacks) return { key, rule, code: 'planned', saw: undefined };
  count.acted += 1;
  return { key, rule, code: 'fired', saw: items.length };
}

/** The counts of one rule, begun where there were none. */
export function countOf(counts: RuleCounts, key: string): RuleCount {
  const known = counts.get(key);
  if (known) return known;
  const fresh = { met: 0, acted: 0 };
  counts.set(key, fresh);
  return fresh;
}

/** Whether the `count`th is one of those asked for. */
export function isInRange(range: RequestRange | undefined, count: number): boolean {
  return range === undefined || (count >= range.from && count <= range.to && count % range.every === 0);
}

function checkSubject(rule: CompiledRule, subject: Subject): Omit<Note, 'key' | 'rule'> | undefined {
  if (!fits(rule.project, subject.project)) return { code: 'project', saw: subject.project };
  if (!fits(rule.subproject, subject.subproject)) return { code: 'subproject', saw: subject.subproject };
  for (const field of rule.where) {
    const source = field.keys[0] === 'headers' ? subject : subject.body;
    const value = valueAt(source, field.keys);
    if (!field.test(value))
      return { code: 'where', saw: field.isSecret && value !== undefined ? hidden : value, field };
  }
  return undefined;
}

function fits(globs: readonly string[] | undefined, text: string | undefined): boolean {
  return globs === undefined || (text !== undefined && globs.some((glob) => matchesGlob(glob, text)));
}

function matchItems({ item }: CompiledRule, entries: readonly Entry[]): readonly number[] {
  if (!item) return entries.map((entry) => entry.item);
  const found: number[] = [];
  for (const entry of entries) if (matchesItem(item, entry)) found.push(entry.item);
  return found;
}

function matchesItem(item: NonNullable<CompiledRule['item']>, entry: Entry): boolean {
  if (item.by === 'number') return item.test(entry.item);
  if (item.by === 'id') return item.test(entry.id);
  return item.fields.every((field) => field.test(valueAt(entry.value as Json, field.keys)));
}
