/** Builds the failure catalog: every kind of failure of an operation, and how to produce it. Pure functions. */
import { type FailureKind, failureKinds, type OperationTraits } from './failure-kinds.ts';
import { matchesAny, toGlobs } from './glob.ts';
import type { Rule, Scenario, When } from './types.ts';

export interface CatalogEntry {
  readonly kind: string;
  readonly about: string;
  /** The `then` of a rule, as YAML on one line. */
  readonly effect: string;
  /** Whether a rule fires on entries, not on the whole request. */
  readonly ofEntries: boolean;
  /** Id of an entry that produces the failure without any active scenario. */
  readonly magicId?: string;
  /** The shipped scenario that produces the failure. */
  readonly scenario?: string;
  /** Request header for a shipped scenario that produces the failure, possibly only at a later request. */
  readonly header?: string;
  /** Text of a scenario that produces the failure at the first request (`limit`: at the second). */
  readonly yaml: string;
}

export interface CatalogSources {
  /** The scenario whose rules match by entry id; undefined if magic ids are disabled. */
  readonly magicIds: Scenario | undefined;
  readonly shipped: readonly Scenario[];
}

/** Returns every kind of failure that an operation can produce. */
export function toCatalog(operation: string, traits: OperationTraits, ways: CatalogSources): readonly CatalogEntry[] {
  return failureKinds(traits).map((kind) => {
    const magicId = findMagicId(kind, operation, ways.magicIds);
    const scenario = findScenario(kind, operation, ways);
    return {
      kind: kind.kind,
      about: kind.about,
      effect: kind.effect,
      ofEntries: kind.ofEntries,
      ...(magicId !== undefined && { magicId }),
      ...(scenario !== undefined && { scenario, header: `x-sandbox-scenario: ${scenario}` }),
      yaml: toYaml(kind, operation, kind.kind),
    };
  });
}

/** Maximum length of the name of a scenario. */
const maxNameLength = 64;

/** Returns the name under which a project activates a failure of an operation. */
export function toFailureName(operation: string, kind: string): string {
  return `${operation.toLowerCase()}-${kind}`.slice(0, maxNameLength);
}

/** Returns the text of a scenario in which an operation fails so. */
export function toYaml({ kind, about, effect, ofEntries }: FailureKind, operation: string, name: string): string {
  const conditions = [`operation: ${operation}`, ...(ofEntries ? ['item: 1'] : [])];
  return writeRule({ name, description: `${operation}: ${about}.`, rule: kind, conditions, effect });
}

interface RuleText {
  readonly name: string;
  readonly description: string;
  readonly rule: string;
  readonly conditions: readonly string[];
  readonly effect: string;
  /** Whether it counts over all projects, and comes before all other scenarios. */
  readonly forAll?: boolean;
}

/** Returns the text of a scenario with one rule. Creates it by hand, because the packages of YAML are slow to load. */
export function writeRule({ name, description, rule, conditions, effect, forAll = false }: RuleText): string {
  return [
    `name: ${name}`,
    `description: ${JSON.stringify(description)}`,
    ...(forAll ? ['priority: first'] : []),
    'rules:',
    `  - name: ${rule}`,
    ...(forAll ? ['    scope: server'] : []),
    `    when: { ${conditions.join(', ')} }`,
    `    then: ${effect}`,
    '',
  ].join('\n');
}

function findMagicId(kind: FailureKind, operation: string, magicIds: Scenario | undefined): string | undefined {
  for (const rule of magicIds?.rules ?? []) {
    const { item, operation: operationGlobs } = rule.when ?? {};
    const id = typeof item === 'object' && 'id' in item ? [item.id].flat()[0] : undefined;
    if (id !== undefined && matchesAny(toGlobs(operationGlobs), operation) && kind.does(rule.then))
      return id.replace('*', '1');
  }
  return undefined;
}

/** Returns the shipped scenario that produces the failure soonest, if it does so for any entry and without chance. */
function findScenario(kind: FailureKind, operation: string, { shipped }: CatalogSources): string | undefined {
  const found = shipped.flatMap(({ name, rules }) => {
    const rule = rules.find((one) => matchesAllRequests(one, operation) && kind.does(one.then));
    return rule ? [{ name, requestsBefore: countBefore(rule.when) }] : [];
  });
  return found.toSorted((a, b) => a.requestsBefore - b.requestsBefore)[0]?.name;
}

function matchesAllRequests({ when = {}, chance }: Rule, operation: string): boolean {
  const { operation: operationGlobs, project, subproject, item, where } = when;
  const isRestricted = [project, subproject, item, where, chance].some((condition) => condition !== undefined);
  return !isRestricted && matchesAny(toGlobs(operationGlobs), operation);
}

/** Returns how many requests precede the first one on which the rule fires. */
function countBefore({ request, during }: When = {}): number {
  const opening = during && 'afterRequests' in during ? during.afterRequests : 0;
  if (!request) return opening;
  return opening + ('nth' in request ? request.nth : 'every' in request ? request.every : request.from) - 1;
}
