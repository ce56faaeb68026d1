/** Compiles parsed scenarios into rules that match quickly, and merges layers of scenarios into one rule set. */

import { parseDuration } from '../lib/duration.ts';
import type { Entry } from '../operations/command.ts';
import { forever, type RequestRange, type Span } from './counts.ts';
import type { Effect } from './effects/effect.ts';
import { compileEffects } from './effects/index.ts';
import { type EntryExpectation, toEntryExpectations } from './entry-search.ts';
import { type CompiledExpectation, compileExpectation } from './expect.ts';
import { matchesGlob } from './glob.ts';
import { type Candidates, createIdIndex, type IdIndex } from './id-index.ts';
import { compileItem, type ItemTest } from './item.ts';
import { compileFields, type Expressions, type FieldTest, loadExpressions } from './matcher.ts';
import { type DuringCondition, type RequestCondition, type Rule, type Scenario, toRuleName } from './types.ts';

export interface CompiledRule {
  readonly scenario: string;
  readonly name: string;
  /** The same in every scope in which the rule is active. The random values of the rule are derived from it. */
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

/** A compiled scenario, with its source. */
export interface CompiledScenario {
  readonly name: string;
  readonly description: string | undefined;
  readonly rules: readonly CompiledRule[];
  readonly expectations: readonly CompiledExpectation[];
  readonly source: Scenario;
}

/** Compiles a parsed scenario. Loads the regular expression engine only if the scenario has an expression. */
export async function compileScenario(scenario: Scenario): Promise<CompiledScenario> {
  const needsExpressions = JSON.stringify(scenario).includes('"matches"');
  return compileWith(scenario, needsExpressions ? await loadExpressions() : noExpressions);
}

/** Replaces the engine if the scenario has no expression. */
const noExpressions: Expressions = () => ({ size: 0, maxLength: 0, find: () => false });

/** Compiles a parsed scenario synchronously, with the given regular expression engine. */
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

/** Where a scenario is active, in order of precedence. */
export type Scope = 'header' | 'project' | 'server' | 'magic-ids';

/** A rule of a rule set: its key in the counts of a project, and the layer in which it is active. */
export interface ScopedRule {
  readonly key: string;
  /** `server`, `magic-ids`, `project`, or `header/NAME`. Each layer has its own activation time. */
  readonly layer: string;
  /** Index among all active rules. */
  readonly index: number;
  readonly rule: CompiledRule;
}

/** An expectation of a rule set. */
export interface ScopedExpectation {
  readonly key: string;
  readonly layer: string;
  readonly scenario: string;
  readonly expectation: CompiledExpectation;
  /** Keys of the rules of the same scenario that it names. */
  readonly rules: readonly string[];
  readonly after: readonly string[] | undefined;
}

/** All active rules in order of precedence, with a lookup by operation, and all expectations. */
export interface RuleSet {
  readonly rules: readonly ScopedRule[];
  readonly expectations: readonly ScopedExpectation[];
  /** The expectations with an `item` condition. */
  readonly entryExpectations: readonly EntryExpectation[];
  /**
   * Returns the rules whose operation matches, without those that require an id or an exact field value that none of
   * the entries has.
   */
  findCandidates(operation: string, entries: readonly Entry[]): Candidates;
}

/** Merges the rules of several layers into one rule set. */
export function createRuleSet(layers: readonly { scope: Scope; scenarios: readonly CompiledScenario[] }[]): RuleSet {
  const rules: ScopedRule[] = [];
  const expectations: ScopedExpectation[] = [];
  for (const { scope, scenarios } of layers) {
    const timesSeen = new Map<string, number>();
    for (const scenario of scenarios) {
      // Two scenarios of the same name have separate counts.
      const before = timesSeen.get(scenario.name) ?? 0;
      timesSeen.set(scenario.name, before + 1);
      const prefix = `${scope}/${scenario.name}${before > 0 ? `@${before + 1}` : ''}`;
      const layer = scope === 'header' ? `header/${scenario.name}` : scope;
      const ownRules = scenario.rules.map((rule, index) => {
        const scoped = { key: `${prefix}#${index + 1}`, layer, index: rules.length, rule };
        rules.push(scoped);
        return scoped;
      });
      expectations.push(...toExpectations(scenario, prefix, layer, ownRules));
    }
  }
  const byOperation = new Map<string, IdIndex>();
  return {
    rules,
    expectations,
    entryExpectations: toEntryExpectations(expectations),
    findCandidates: (operation, entries) => {
      let index = byOperation.get(operation);
      if (!index) {
        index = createIdIndex(rules.filter(({ rule }) => matchesOperation(rule, operation)));
        byOperation.set(operation, index);
      }
      return index(entries);
    },
  };
}

/** Whether the operation condition of a rule matches. */
export function matchesOperation({ operations }: CompiledRule, operation: string): boolean {
  return operations === undefined || operations.some((glob) => matchesGlob(glob, operation));
}

function toExpectations(
  { name, expectations }: CompiledScenario,
  prefix: string,
  layer: string,
  ownRules: readonly ScopedRule[],
): readonly ScopedExpectation[] {
  if (expectations.length === 0) return [];
  // One list per name: all expectations that name a rule share the results computed for its list.
  const keysByName = new Map<string, string[]>();
  for (const { key, rule } of ownRules) {
    const keys = keysByName.get(rule.name);
    if (keys) keys.push(key);
    else keysByName.set(rule.name, [key]);
  }
  const keysOf = (ruleName: string): readonly string[] => keysByName.get(ruleName) ?? [];
  return expectations.map((expectation, index) => ({
    key: `${prefix}!${index + 1}`,
    layer,
    scenario: name,
    expectation,
    rules: expectation.kind === 'rule' ? keysOf(expectation.rule) : [],
    after: expectation.after === undefined ? undefined : keysOf(expectation.after),
  }));
}
