/** Compiles parsed scenarios into rules that match quickly, by entry id and field value, and merges layers of scenarios. */
import { parseDuration } from '../lib/duration.ts';
import { valueAt } from '../lib/pointer.ts';
import type { Entry } from '../operations/command.ts';
import type {
  Candidates,
  CompiledRule,
  CompiledScenario,
  RuleSet,
  Scope,
  ScopedExpectation,
  ScopedRule,
} from './compiled.ts';
import { forever, type RequestRange, type Span } from './counts.ts';
import { compileEffects } from './effects/index.ts';
import { compileExpectation } from './expect.ts';
import { matchesAny, toGlobs } from './glob.ts';
import { compileItem } from './item.ts';
import { compileFields, type Expressions, type FieldTest, loadExpressions, toScalar } from './matcher.ts';
import {
  type DuringCondition,
  type RequestCondition,
  type Rule,
  type Scalar,
  type Scenario,
  toRuleName,
} from './types.ts';

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

/** Finds the rules that may match a request with these entries. */
type IdIndex = (entries: readonly Entry[]) => Candidates;

// Each indexed field costs a lookup for every entry.
const maxFields = 16;
const allEntries: ReadonlyMap<number, readonly number[]> = new Map();

/** Passes the indexes of the rules that may match an entry to `found`; possibly the same index twice. */
type Finder = (entry: Entry, found: (index: number) => void) => void;

/**
 * Creates an index of rules. A rule is a candidate for every request if it requires neither an id nor an exact field
 * value, or if it has a condition on a field of the request, which is tested first.
 */
function createIdIndex(rules: readonly ScopedRule[]): IdIndex {
  const { always, byPrefix, byField } = groupRules(rules);
  const finders: Finder[] = [...byField.values()].map(({ field, byValue }) => createFieldFinder(field, byValue));
  if (byPrefix.size > 0) finders.push(createIdFinder(byPrefix));
  const fields = [...byField.values()].map(({ field }) => field);
  const alwaysOnly = { rules: always.map((index) => rules[index] as ScopedRule), entries: allEntries, fields };
  if (finders.length === 0) return () => ({ rules, entries: allEntries, fields });
  return (entries) => {
    const found = findIndexes(entries, finders);
    if (!found) return alwaysOnly;
    const indexes = [...found.keys(), ...always].sort((a, b) => a - b);
    const entriesByRule = new Map(
      [...found].map(([index, entryIndexes]) => [(rules[index] as ScopedRule).index, entryIndexes]),
    );
    return { rules: indexes.map((index) => rules[index] as ScopedRule), entries: entriesByRule, fields };
  };
}

/** Indexes of rules by what they require of an entry. */
interface RuleGroups {
  readonly always: number[];
  readonly byPrefix: Map<string, number[]>;
  readonly byField: Map<string, { readonly field: FieldTest; readonly byValue: Map<string | null, number[]> }>;
}

function groupRules(rules: readonly ScopedRule[]): RuleGroups {
  const groups: RuleGroups = { always: [], byPrefix: new Map(), byField: new Map() };
  for (const [index, { rule }] of rules.entries()) addToGroup(groups, rule, index);
  return groups;
}

function addToGroup({ always, byPrefix, byField }: RuleGroups, rule: CompiledRule, index: number): void {
  const field = toExactField(rule);
  if (field && (byField.has(field.path) || byField.size < maxFields)) {
    const group = byField.get(field.path) ?? { field, byValue: new Map() };
    byField.set(field.path, group);
    for (const key of new Set(field.exact.map(toKey))) append(group.byValue, key, index);
    return;
  }
  const prefixes = rule.item?.by === 'id' ? rule.item.globs.map(toPrefix) : [''];
  if (rule.where.length > 0 || prefixes.includes('')) always.push(index);
  else for (const prefix of prefixes) append(byPrefix, prefix, index);
}

/** Returns the only field of a rule if it requires an exact value and is not secret: secret tests are recorded. */
function toExactField({ where, item }: CompiledRule): (FieldTest & { readonly exact: readonly Scalar[] }) | undefined {
  if (where.length > 0 || item?.by !== 'fields' || item.fields.length !== 1) return undefined;
  const [field] = item.fields;
  const { exact } = field ?? {};
  return field && exact && !field.isSecret && field.keys[0] !== 'headers' ? { ...field, exact } : undefined;
}

/** Appends to the list of a key in place, because a scenario may have very many rules for one id. */
function append<Key>(indexes: Map<Key, number[]>, key: Key, index: number): void {
  const list = indexes.get(key);
  if (list) list.push(index);
  else indexes.set(key, [index]);
}

/** Returns the indexes of the entries by the index of the rule, or undefined if there are none. */
function findIndexes(entries: readonly Entry[], finders: readonly Finder[]): Map<number, number[]> | undefined {
  let found: Map<number, number[]> | undefined;
  let entryIndex = 0;
  const addRule = (index: number): void => {
    found ??= new Map();
    const list = found.get(index);
    if (!list) found.set(index, [entryIndex]);
    else if (list.at(-1) !== entryIndex) list.push(entryIndex);
  };
  for (; entryIndex < entries.length; entryIndex += 1) {
    for (const find of finders) find(entries[entryIndex] as Entry, addRule);
  }
  return found;
}

/** Creates a finder for the rules whose id prefix matches an entry. */
function createIdFinder(byPrefix: ReadonlyMap<string, readonly number[]>): Finder {
  const lengths = [...new Set([...byPrefix.keys()].map(({ length }) => length))].sort((a, b) => a - b);
  const firstCodes = new Set([...byPrefix.keys()].map((prefix) => prefix.charCodeAt(0)));
  return ({ id }, found) => {
    if (!firstCodes.has(id.charCodeAt(0))) return;
    for (const length of lengths) {
      if (length > id.length) break;
      const list = byPrefix.get(id.slice(0, length));
      if (list) for (const one of list) found(one);
    }
  };
}

/** Creates a finder for the rules that require the value of a field. */
function createFieldFinder({ keys }: FieldTest, byValue: ReadonlyMap<string | null, readonly number[]>): Finder {
  return (entry, found) => {
    const value = valueAt(entry.value, keys) as Scalar | object | undefined;
    if (typeof value === 'object' && value !== null) return;
    const exact = value === undefined ? undefined : byValue.get(toKey(value));
    if (exact) for (const one of exact) found(one);
  };
}

/** Returns the same key for a number, a boolean and the text that is written alike. */
function toKey(value: Scalar): string | null {
  return value === null ? null : String(toScalar(value));
}

/** Returns the prefix of a glob before its first wildcard. */
function toPrefix(glob: string): string {
  const end = glob.search(/[*?]/);
  return end < 0 ? glob : glob.slice(0, end);
}
