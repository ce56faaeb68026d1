/** Compiles parsed scenarios into rules that match quickly, and merges layers of scenarios into one rule set. */
import { parseDuration } from '../lib/duration.ts';
import type { CompiledRule, CompiledScenario, RuleSet, Scope, ScopedExpectation, ScopedRule } from './compiled.ts';
import { forever, type RequestRange, type Span } from './counts.ts';
import { compileEffects } from './effects/index.ts';
import { compileExpectation } from './expect.ts';
import { matchesAny, toGlobs } from './glob.ts';
import { createIdIndex, type IdIndex } from './id-index.ts';
import { compileItem } from './item.ts';
import { compileFields, type Expressions, loadExpressions } from './matcher.ts';
import { type DuringCondition, type RequestCondition, type Rule, type Scenario, toRuleName } from './types.ts';

export type { CompiledScenario, RuleSet, Scope } from './compiled.ts';

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
  const effects = compileEffects(rule.then);
  return {
    scenario: scenario.name,
    name: toRuleName(rule.name, index),
    id: `${scenario.name}#${index + 1}`,
    seed: scenario.seed === undefined ? undefined : String(scenario.seed),
    isServerWide: rule.scope === 'server',
    operations: toGlobs(when.operation),
    project: toGlobs(when.project),
    subproject: toGlobs(when.subproject),
    where: when.where ? compileFields(when.where, expressions) : [],
    item: when.item === undefined ? undefined : compileItem(when.item, expressions),
    request: when.request && toRange(when.request),
    during: when.during && toSpan(when.during),
    chance: rule.chance,
    times: rule.times,
    effects,
    countsCallbacks: effects.every(({ scope }) => scope === 'callback'),
  };
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

/** Whether a scenario comes before all others, and stays active until the server ends. */
export function isFirst({ source }: Pick<CompiledScenario, 'source'>): boolean {
  return source.priority === 'first';
}

/** Returns why a scenario can only be active from the start, or undefined if it can be activated later. */
export function refuseAfterStart(scenario: CompiledScenario): string | undefined {
  if (!isFirst(scenario)) return undefined;
  return `scenario ${scenario.name} has "priority: first", which holds from the start of the server; activate it with --scenario, SANDBOX_SCENARIO or SANDBOX_SCENARIO_YAML, or remove the key`;
}

/** Returns why a scenario can only be active for all projects, or undefined if it can be active for one. */
export function refuseForOneProject(scenario: CompiledScenario): string | undefined {
  const rule = scenario.rules.find(({ isServerWide }) => isServerWide);
  return (
    refuseAfterStart(scenario) ??
    (rule &&
      `rule ${JSON.stringify(rule.name.slice(0, 64))} has "scope: server", which counts over all projects; activate its scenario for all projects: with --scenario, SANDBOX_SCENARIO, SANDBOX_SCENARIO_YAML or PUT /_sandbox/server-scenarios`)
  );
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
      const layer = scope === 'header' || scope === 'project' ? `${scope}/${scenario.name}` : scope;
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
    findCandidates: (operation, entries) => {
      let index = byOperation.get(operation);
      if (!index) {
        index = createIdIndex(rules.filter(({ rule }) => matchesAny(rule.operations, operation)));
        byOperation.set(operation, index);
      }
      return index(entries);
    },
  };
}

function toExpectations(
  { name, expectations }: CompiledScenario,
  prefix: string,
  layer: string,
  ownRules: readonly ScopedRule[],
): readonly ScopedExpectation[] {
  if (expectations.length === 0) return [];
  const keys = new Map(ownRules.map(({ key, rule }) => [rule.name, key]));
  return expectations.map((expectation, index) => ({
    key: `${prefix}!${index + 1}`,
    layer,
    scenario: name,
    expectation,
    rule: expectation.kind === 'rule' ? keys.get(expectation.rule) : undefined,
    after: expectation.after === undefined ? undefined : keys.get(expectation.after),
  }));
}
