/** The catalogue of failures: for an operation every kind that can be produced, and how. Pure; knows of no server. */
import { type FailureKind, failureKinds, type Tells } from './failure-kinds.ts';
import { matchesGlob } from './glob.ts';
import type { Rule, Scenario, When } from './types.ts';

/** One kind of failure, and the ways to it. */
export interface CatalogEntry {
  readonly kind: string;
  readonly about: string;
  /** An id of an entry that provokes it with no scenario switched on. */
  readonly magicId?: string;
  /** The header that asks for a shipped scenario which does it, sooner or later. */
  readonly header?: string;
  /** The text of a scenario that does it at the first request (`limit`: at the second). */
  readonly yaml: string;
}

/** The scenarios that are looked through for a way. */
export interface Ways {
  /** Rules by the id of an entry; undefined where they are switched off. */
  readonly magicIds: Scenario | undefined;
  readonly shipped: readonly Scenario[];
}

/** Every failure that an operation can be made to meet. */
export function toCatalog(operation: string, tells: Tells, ways: Ways): readonly CatalogEntry[] {
  return failureKinds(tells).map((kind) => {
    const magicId = findMagicId(kind, operation, ways.magicIds);
    const scenario = findScenario(kind, operation, ways);
    return {
      kind: kind.kind,
      about: kind.about,
      ...(magicId !== undefined && { magicId }),
      ...(scenario !== undefined && { header: `x-sandbox-scenario: ${scenario}` }),
      yaml: toYaml(kind, operation),
    };
  });
}

function toYaml({ kind, about, effect, ofEntries }: FailureKind, operation: string): string {
  const when = `{ operation: ${operation}${ofEntries ? ', item: 1' : ''} }`;
  const description = JSON.stringify(`${operation}: ${about}.`);
  return `name: ${kind}\ndescription: ${description}\nrules:\n  - name: ${kind}\n    when: ${when}\n    then: ${effect}\n`;
}

function findMagicId(kind: FailureKind, operation: string, magicIds: Scenario | undefined): string | undefined {
  for (const rule of magicIds?.rules ?? []) {
    const { item, operation: wanted } = rule.when ?? {};
    const id = typeof item === 'object' && 'id' in item ? [item.id].flat()[0] : undefined;
    if (id !== undefined && fits(wanted, operation) && kind.does(rule.then)) return id.replace('*', '1');
  }
  return undefined;
}

/** The shipped scenario that does it soonest; whether an entry or a draw is needed for it must not matter. */
function findScenario(kind: FailureKind, operation: string, { shipped }: Ways): string | undefined {
  const found = shipped.flatMap(({ name, rules }) => {
    const rule = rules.find((one) => isForAll(one, operation) && kind.does(one.then));
    return rule ? [{ name, requestsBefore: countBefore(rule.when) }] : [];
  });
  return found.toSorted((a, b) => a.requestsBefore - b.requestsBefore)[0]?.name;
}

function isForAll({ when = {}, chance }: Rule, operation: string): boolean {
  const { operation: wanted, project, subproject, item, where } = when;
  const isBound = [project, subproject, item, where, chance].some((condition) => condition !== undefined);
  return !isBound && fits(wanted, operation);
}

/** How many requests the rule lets pass before it acts. */
function countBefore({ request, during }: When = {}): number {
  const opening = during && 'afterRequests' in during ? during.afterRequests : 0;
  if (!request) return opening;
  return opening + ('nth' in request ? request.nth : 'every' in request ? request.every : request.from) - 1;
}

function fits(globs: When['operation'], operation: string): boolean {
  return globs === undefined || [globs].flat().some((glob) => matchesGlob(glob, operation));
}
