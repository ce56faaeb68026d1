/** Joins scenarios to one that can be shrunk, and formats scenarios as YAML. */
import { Document, isMap, isScalar, visit } from 'yaml';
import type { CompiledScenario } from '../../scenarios/compiled.ts';
import { parseScenario } from '../../scenarios/parse.ts';
import { type Rule, type Scenario, toRuleName } from '../../scenarios/types.ts';

/** A rule with its name, by which runs are compared. */
export type NamedRule = Rule & { readonly name: string };

/** Scenarios as one: what stays the same in all smaller ones, and the rules with different names. */
export interface JoinedScenario {
  readonly frame: Omit<Scenario, 'rules' | 'description'>;
  readonly rules: readonly NamedRule[];
}

/** Joins different scenarios in their order of precedence. Leaves out their expectations: only the command decides. */
export function joinScenarios(scenarios: readonly CompiledScenario[]): JoinedScenario {
  const rules = scenarios.flatMap(({ name, source }) =>
    source.rules.map((rule, index) => {
      const ruleName = toRuleName(rule.name, index);
      return { ...rule, name: scenarios.length === 1 ? ruleName : `${name}: ${ruleName}` };
    }),
  );
  const seeds = new Set(scenarios.map(({ source }) => source.seed));
  const [seed] = seeds;
  const names = scenarios.map(({ name }) => name).join('-');
  return {
    frame: {
      name: names.slice(0, maxName),
      ...(seeds.size === 1 && seed !== undefined && { seed }),
      ...(scenarios.some(({ source }) => source.priority) && { priority: 'first' as const }),
    },
    rules,
  };
}

/** Maximum length of a scenario's name. */
const maxName = 64;

/** Creates a scenario of rules. Leaves out a seed that no random value needs. */
export function toScenario({ seed, ...frame }: JoinedScenario['frame'], rules: readonly NamedRule[]): Scenario {
  const needsSeed = rules.some(
    ({ chance, then: { latency, callback } }) =>
      chance !== undefined || typeof latency === 'object' || callback?.order === 'shuffle',
  );
  return { ...frame, ...(needsSeed && seed !== undefined && { seed }), rules };
}

/** Parses the text of rules as a scenario. Returns undefined if it is not valid. */
export function parseRules(frame: JoinedScenario['frame'], rules: readonly NamedRule[]): Scenario | undefined {
  const parsed = parseScenario(toYaml(toScenario(frame, rules)), 'smaller scenario');
  return parsed.ok ? parsed.scenario : undefined;
}

/** Formats a scenario, with conditions and effects on one line each. */
export function toYaml({ name, description, rules, ...rest }: Scenario): string {
  const ordered = rules.map(({ name: ruleName, scope, when, chance, times, then }) => ({
    ...{ name: ruleName, scope, when, chance, times, then },
  }));
  const document = new Document(
    { name, description, ...rest, rules: ordered },
    { keepUndefined: false, aliasDuplicateObjects: false },
  );
  visit(document, {
    Pair: (_key, { key, value }) => {
      if (isScalar(key) && (key.value === 'when' || key.value === 'then') && isMap(value)) value.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}
