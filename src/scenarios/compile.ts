/** Turns a parsed scenario into rules that can be matched quickly; and layers of scenarios into one set of rules. */

import type { Effect } from './effects/effect.ts';
import { compileEffects } from './effects/index.ts';
import { matchesGlob } from './glob.ts';
import { compileFields, type FieldTest, loadExpressions } from './matcher.ts';
import type { ItemCondition, RequestCondition, Rule, Scenario } from './types.ts';

/** Which entries a rule acts on. */
export type ItemTest =
  | { readonly by: 'number'; readonly wanted: string; test(item: number): boolean }
  | { readonly by: 'id'; readonly wanted: string; test(id: string): boolean }
  | { readonly by: 'fields'; readonly fields: readonly FieldTest[] };

/** Beyond any count, and still a number that JSON can hold. */
export const forever: number = Number.MAX_SAFE_INTEGER;

/** Which of the requests that meet the other conditions: every `every`th from `from` to `to`. */
export interface RequestRange {
  readonly from: number;
  readonly to: number;
  readonly every: number;
}

export interface CompiledRule {
  readonly scenario: string;
  readonly name: string;
  readonly seed: string | undefined;
  readonly operations: readonly string[] | undefined;
  readonly project: readonly string[] | undefined;
  readonly subproject: readonly string[] | undefined;
  readonly where: readonly FieldTest[];
  readonly item: ItemTest | undefined;
  readonly request: RequestRange | undefined;
  readonly times: number | undefined;
  readonly effects: readonly Effect[];
}

/** A scenario ready to be used, with the text that it was read from. */
export interface CompiledScenario {
  readonly name: string;
  readonly description: string | undefined;
  readonly rules: readonly CompiledRule[];
  readonly source: Scenario;
}

/** Compiles a scenario that has been parsed; loads the expression engine only where one is used. */
export async function compileScenario(scenario: Scenario): Promise<CompiledScenario> {
  const needsExpressions = JSON.stringify(scenario.rules).includes('"matches"');
  const expressions = needsExpressions ? await loadExpressions() : () => () => false;
  const rules = scenario.rules.map((rule, index) => compileRule(scenario, rule, index, expressions));
  return { name: scenario.name, description: scenario.description, rules, source: scenario };
}

type Expressions = Parameters<typeof compileFields>[1];

function compileRule(scenario: Scenario, rule: Rule, index: number, expressions: Expressions): CompiledRule {
  const when = rule.when ?? {};
  return {
    scenario: scenario.name,
    name: rule.name ?? `rule ${index + 1}`,
    seed: scenario.seed === undefined ? undefined : String(scenario.seed),
    operations: toList(when.operation),
    project: toList(when.project),
    subproject: toList(when.subproject),
    where: when.where ? compileFields(when.where, expressions) : [],
    item: when.item === undefined ? undefined : compileItem(when.item, expressions),
    request: when.request && toRange(when.request),
    times: rule.times,
    effects: compileEffects(rule.then),
  };
}

function toList(value: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof value === 'string' ? [value] : value;
}

function compileItem(item: ItemCondition, expressions: Expressions): ItemTest {
  if (typeof item === 'number') return { by: 'number', wanted: `item ${item}`, test: (number) => number === item };
  if (isNumbers(item)) {
    const numbers = new Set(item);
    return { by: 'number', wanted: `items ${item.join(', ')}`, test: (number) => numbers.has(number) };
  }
  if ('every' in item) return { by: 'number', wanted: `every ${item.every}th item`, test: (n) => n % item.every === 0 };
  if ('id' in item) {
    const globs = toList(item.id) ?? [];
    return {
      by: 'id',
      wanted: `an id like ${globs.join(', ')}`,
      test: (id) => globs.some((glob) => matchesGlob(glob, id)),
    };
  }
  return { by: 'fields', fields: compileFields(item.where, expressions) };
}

function isNumbers(item: ItemCondition): item is readonly number[] {
  return Array.isArray(item);
}

function toRange(request: RequestCondition): RequestRange {
  if ('nth' in request) return { from: request.nth, to: request.nth, every: 1 };
  if ('every' in request) return { from: 1, to: forever, every: request.every };
  return { from: request.from, to: request.to ?? forever, every: 1 };
}

/** Where a scenario was switched on; the nearest wins. */
export type Scope = 'header' | 'project' | 'server' | 'magic-ids';

/** A rule in its place: the key under which a project counts it. */
export interface ScopedRule {
  readonly key: string;
  readonly rule: CompiledRule;
}

/** All rules in force, nearest first, looked up by operation. */
export interface RuleSet {
  readonly rules: readonly ScopedRule[];
  /** Those whose operation fits. */
  of(operation: string): readonly ScopedRule[];
}

/** The rules of several layers as one. */
export function createRuleSet(layers: readonly { scope: Scope; scenarios: readonly CompiledScenario[] }[]): RuleSet {
  const rules = layers.flatMap(({ scope, scenarios }) =>
    scenarios.flatMap(({ name, rules: own }, place) => {
      // Two of one name count apart.
      const before = scenarios.slice(0, place).filter((other) => other.name === name).length;
      const prefix = `${scope}/${name}${before > 0 ? `@${before + 1}` : ''}`;
      return own.map((rule, index) => ({ key: `${prefix}#${index + 1}`, rule }));
    }),
  );
  const byOperation = new Map<string, readonly ScopedRule[]>();
  return {
    rules,
    of: (operation) => {
      const known = byOperation.get(operation);
      if (known) return known;
      const fitting = rules.filter(({ rule }) => rule.operations?.some((glob) => matchesGlob(glob, operation)) ?? true);
      byOperation.set(operation, fitting);
      return fitting;
    },
  };
}
