/**
 * Builds the rule set of each project: the scenarios that always come first, its own, the server scenarios, and the
 * scenario of the magic ids.
 */
import { createHash } from '../lib/random.ts';
import { type CompiledScenario, createRuleSet, isFirst, type RuleSet } from '../scenarios/compile.ts';
import type { RuleCounts } from '../scenarios/counts.ts';
import type { Project } from './project.ts';

export interface RuleSets {
  /** Scenarios activated for all projects, highest precedence first. */
  readonly serverScenarios: readonly CompiledScenario[];
  /** Key of the server scenarios, derived from their content. The same scenarios have the same key. */
  readonly serverKey: string;
  /** Counts of server scenarios over all projects. */
  readonly serverCounts: RuleCounts;
  /** Replaces the server scenarios and their counts, except those with `priority: first`, which stay. */
  setServerScenarios(scenarios: readonly CompiledScenario[]): void;
  /** Returns the rules for a project, after those of the request's own scenario; without a project, those for all. */
  rulesOf(project: Project | undefined, header?: CompiledScenario): RuleSet;
}

/** The rule set of a project, and what it was built from. */
interface CachedRules {
  readonly scenarios: readonly CompiledScenario[];
  readonly serverRules: RuleSet;
  readonly set: RuleSet;
  readonly byHeader: WeakMap<CompiledScenario, RuleSet>;
}

/** Creates the rule sets of a server. A rule set is built on first use, and again after its scenarios were replaced. */
export function createRuleSets(
  configured: readonly CompiledScenario[],
  magicIds: CompiledScenario | undefined,
): RuleSets {
  const cache = new WeakMap<Project, CachedRules>();
  const first = configured.filter(isFirst);
  const firstLayer = { scope: 'first', scenarios: first } as const;
  let serverScenarios = configured.filter((scenario) => !isFirst(scenario));
  let serverRules = createRuleSet([firstLayer, ...toServerLayers()]);
  let serverKey = toScenariosKey(configured);
  let serverCounts: RuleCounts = new Map();

  function toServerLayers() {
    return [
      { scope: 'server', scenarios: serverScenarios },
      { scope: 'magic-ids', scenarios: magicIds ? [magicIds] : [] },
    ] as const;
  }

  function cachedRulesOf(project: Project): CachedRules {
    const cached = cache.get(project);
    const { scenarios } = project;
    if (cached?.scenarios === scenarios && cached.serverRules === serverRules) return cached;
    const set = createRuleSet([firstLayer, { scope: 'project', scenarios }, ...toServerLayers()]);
    const built = { scenarios, serverRules, set, byHeader: new WeakMap<CompiledScenario, RuleSet>() };
    cache.set(project, built);
    return built;
  }

  return {
    get serverScenarios() {
      return first.length === 0 ? serverScenarios : [...first, ...serverScenarios];
    },
    get serverKey() {
      return serverKey;
    },
    get serverCounts() {
      return serverCounts;
    },
    setServerScenarios: (scenarios) => {
      serverScenarios = scenarios.filter((scenario) => !isFirst(scenario));
      serverRules = createRuleSet([firstLayer, ...toServerLayers()]);
      serverKey = toScenariosKey(scenarios);
      serverCounts = new Map([...serverCounts].filter(([key]) => key.startsWith('first/')));
    },
    rulesOf: (project, header) => {
      if (!project) return serverRules;
      const { scenarios, set, byHeader } = cachedRulesOf(project);
      if (!header) return set;
      const existing = byHeader.get(header);
      if (existing) return existing;
      const layers = [firstLayer, { scope: 'header', scenarios: [header] }, { scope: 'project', scenarios }] as const;
      const created = createRuleSet([...layers, ...toServerLayers()]);
      byHeader.set(header, created);
      return created;
    },
  };
}

function toScenariosKey(scenarios: readonly CompiledScenario[]): string {
  return createHash('scenarios').of(JSON.stringify(scenarios.map(({ source }) => source)));
}
