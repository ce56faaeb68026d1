/** Turns a parsed scenario into rules that can be matched quickly; and layers of scenarios into one set of rules. */

import { parseDuration } from '../base/duration.ts';
import type { Entry } from '../operations/task.ts';
import { forever, type RequestRange, type Span } from './counts.ts';
import type { Effect } from './effects/effect.ts';
import { compileEffects } from './effects/index.ts';
import { type CompiledExpectation, compileExpectation } from './expect.ts';
import { matchesGlob } from './glob.ts';
import { createIdIndex, type IdIndex } from './id-index.ts';
import { compileItem, type ItemTest } from './item.ts';
import { compileFields, type Expressions, type FieldTest, loadExpressions } from './matcher.ts';
import { type DuringCondition, type RequestCondition, type Rule, type Scenario, toRuleName } from './types.ts';

export interface CompiledRule {
  readonly scenario: string;
  readonly name: string;
  /** Names the rule wherever it is switched on: what is random about it comes from this. */
  readonly id: string;
  readonly seed: string | undefined;
  readonly operations: readonly string[] | undefined;
  readonly project: readonly string[] | undefined;
  readonly subproject: readonly string[] | undefined;
  readonly where: readonly FieldTest[];
  readonly item: ItemTest | undefined;
  readonly request: RequestRange | undefined;
  readonly during: Span | undefined;
  readonly chance: number | undefined;
  readonly times: number | undefined;
  readonly effects: readonly Effect[];
}

/** A scenario ready to be used, with the text that it was read from. */
export interface CompiledScenario {
  readonly name: string;
  readonly description: string | undefined;
  readonly rules: readonly CompiledRule[];
  readonly expectations: readonly CompiledExpectation[];
  readonly source: Scenario;
}

/** Compiles a scenario that has been parsed; loads the expression engine only where one is used. */
export async function compileScenario(scenario: Scenario): Promise<CompiledScenario> {
  const needsExpressions = JSON.stringify(scenario).includes('"matches"');
  return compileWith(scenario, needsExpressions ? await loadExpressions() : () => () => false);
}

/** The same, without waiting, with the expression engine. */
export function compileWith(scenario: Scenario, expressions: Expressions): CompiledScenario {
  const rules = scenario.rules.map((rule, index) => compileRule(scenario, rule, index, expressions));
  const expectations = (scenario.expect ?? []).map((expectation) => compileExpectation(expectation, expressions));
  return { name: scenario.name, description: scenario.description, rules, expectations, source: scenario };
}

function compileRule(scenario: Scenario, rule: Rule, index: number, expressions: Expressions): CompiledRule {
  const when = rule.when ?? {};
  return {
    scenario: scenario.name,
    name: toRuleName(rule.name, index),
    id: `${scenario.name}#${index + 1}`,
    seed: scenario.seed === undefined ? undefined : String(scenario.seed),
    operations: toList(when.operation),
    project: toList(when.project),
    subproject: toList(when.subproject),
    where: when.where ? compileFields(when.where, expressions) : [],
    item: when.item === undefined ? undefined : compileItem(when.item, expressions),
    request: when.request && toRange(when.request),
    during: when.during && toSpan(when.during),
    chance: rule.chance,
    times: rule.times,
    effects: compileEffects(rule.then),
  };
}

function toList(value: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof value === 'string' ? [value] : value;
}

function toRange(request: RequestCondition): RequestRange {
  if ('nth' in request) return { from: request.nth, to: request.nth, every: 1 };
  if ('every' in request) return { from: 1, to: forever, every: request.every };
  return { from: request.from, to: request.to ?? forever, every: 1 };
}

function toSpan(during: DuringCondition): Span {
  const forMs = during.for === undefined ? {} : { forMs: parseDuration(during.for) ?? 0 };
  return 'afterRequests' in during
    ? { afterRequests: during.afterRequests, ...forMs }
    : { afterMs: during.after === undefined ? 0 : (parseDuration(during.after) ?? 0), ...forMs };
}

/** Where a scenario was switched on; the nearest wins. */
export type Scope = 'header' | 'project' | 'server' | 'magic-ids';

/** A rule in its place: the key under which a project counts it, and what tells when it was switched on. */
export interface ScopedRule {
  readonly key: string;
  /** `server`, `magic-ids`, `project`, or `header/NAME`: each is switched on at an instant of its own. */
  readonly layer: string;
  readonly rule: CompiledRule;
}

/** An expectation in its place. */
export interface ScopedExpectation {
  readonly key: string;
  readonly layer: string;
  readonly scenario: string;
  readonly expectation: CompiledExpectation;
  /** The keys of the rules, of the same scenario, that it names. */
  readonly rules: readonly string[];
  readonly after: readonly string[] | undefined;
}

/** All rules in force, nearest first, looked up by operation; and all that is expected. */
export interface RuleSet {
  readonly rules: readonly ScopedRule[];
  readonly expectations: readonly ScopedExpectation[];
  /** Those whose operation fits, but for those that ask for an id of which none of the entries has even the beginning. */
  of(operation: string, entries: readonly Entry[]): readonly ScopedRule[];
}

/** The rules of several layers as one. */
export function createRuleSet(layers: readonly { scope: Scope; scenarios: readonly CompiledScenario[] }[]): RuleSet {
  const rules: ScopedRule[] = [];
  const expectations: ScopedExpectation[] = [];
  for (const { scope, scenarios } of layers) {
    for (const [place, scenario] of scenarios.entries()) {
      // Two of one name count apart.
      const before = scenarios.slice(0, place).filter((other) => other.name === scenario.name).length;
      const prefix = `${scope}/${scenario.name}${before > 0 ? `@${before + 1}` : ''}`;
      const layer = scope === 'header' ? `header/${scenario.name}` : scope;
      const own = scenario.rules.map((rule, index) => ({ key: `${prefix}#${index + 1}`, layer, rule }));
      rules.push(...own);
      expectations.push(...toExpectations(scenario, prefix, layer, own));
    }
  }
  const byOperation = new Map<string, IdIndex>();
  return {
    rules,
    expectations,
    of: (operation, entries) => {
      let index = byOperation.get(operation);
      if (!index) {
        index = createIdIndex(rules.filter(({ rule }) => isAbout(rule, operation)));
        byOperation.set(operation, index);
      }
      return index(entries);
    },
  };
}

/** Whether a rule is about an operation at all. */
export function isAbout({ operations }: CompiledRule, operation: string): boolean {
  return operations === undefined || operations.some((glob) => matchesGlob(glob, operation));
}

function toExpectations(
  { name, expectations }: CompiledScenario,
  prefix: string,
  layer: string,
  own: readonly ScopedRule[],
): readonly ScopedExpectation[] {
  const keysOf = (wanted: string | undefined): readonly string[] =>
    own.filter(({ rule }) => rule.name === wanted).map(({ key }) => key);
  return expectations.map((expectation, index) => ({
    key: `${prefix}!${index + 1}`,
    layer,
    scenario: name,
    expectation,
    rules: expectation.kind === 'rule' ? keysOf(expectation.rule) : [],
    after: expectation.after === undefined ? undefined : keysOf(expectation.after),
  }));
}
