/**
 * Builds the rule set of each project: the scenarios that always come first, its own, the server scenarios, and the
 * scenario of the magic ids.
 */
import { createHash } from '../lib/random.ts';
import { type CompiledScenario, createRuleSet, isFirst, type RuleSet } from '../scenarios/compile.ts';
import type { RuleCounts } from '../scenarios/counts.ts';
import type { Project } from './project.ts';

/** The rule set of a project, and what it was built from. */
interface CachedRules {
  readonly scenarios: readonly CompiledScenario[];
  readonly serverRules: RuleSet;
  readonly set: RuleSet;
  readonly byHeader: WeakMap<CompiledScenario, RuleSet>;
}

/** The rule sets of a server. Each is built on first use, and again after its scenarios were replaced. */
export class RuleSets {
  readonly #magicIds: readonly CompiledScenario[];
  readonly #first: readonly CompiledScenario[];
  readonly #cache = new WeakMap<Project, CachedRules>();
  #scenarios: readonly CompiledScenario[];
  #serverRules: RuleSet;
  #serverKey: string;
  #serverCounts: RuleCounts = new Map();

  constructor(configured: readonly CompiledScenario[], magicIds: CompiledScenario | undefined) {
    this.#magicIds = magicIds ? [magicIds] : [];
    this.#first = configured.filter(isFirst);
    this.#scenarios = configured.filter((scenario) => !isFirst(scenario));
    this.#serverRules = this.#build([]);
    this.#serverKey = toScenariosKey(configured);
  }

  /** Scenarios activated for all projects, highest precedence first. */
  get serverScenarios(): readonly CompiledScenario[] {
    return this.#first.length === 0 ? this.#scenarios : [...this.#first, ...this.#scenarios];
  }

  /** Key of the server scenarios, derived from their content. The same scenarios have the same key. */
  get serverKey(): string {
    return this.#serverKey;
  }

  /** Counts of server scenarios over all projects. */
  get serverCounts(): RuleCounts {
    return this.#serverCounts;
  }

  /** Replaces the server scenarios and their counts, except those with `priority: first`, which stay. */
  setServerScenarios(scenarios: readonly CompiledScenario[]): void {
    this.#scenarios = scenarios.filter((scenario) => !isFirst(scenario));
    this.#serverRules = this.#build([]);
    this.#serverKey = toScenariosKey(scenarios);
    this.#serverCounts = new Map([...this.#serverCounts].filter(([key]) => key.startsWith('first/')));
  }

  /** Returns the rules for a project, after those of the request's own scenario; without a project, those for all. */
  rulesOf(project: Project | undefined, header?: CompiledScenario): RuleSet {
    if (!project) return this.#serverRules;
    const { scenarios, set, byHeader } = this.#cachedRulesOf(project);
    if (!header) return set;
    const existing = byHeader.get(header);
    if (existing) return existing;
    const created = this.#build([
      { scope: 'header', scenarios: [header] },
      { scope: 'project', scenarios },
    ]);
    byHeader.set(header, created);
    return created;
  }

  #cachedRulesOf(project: Project): CachedRules {
    const cached = this.#cache.get(project);
    const { scenarios } = project;
    if (cached?.scenarios === scenarios && cached.serverRules === this.#serverRules) return cached;
    const set = this.#build([{ scope: 'project', scenarios }]);
    const built = {
      scenarios,
      serverRules: this.#serverRules,
      set,
      byHeader: new WeakMap<CompiledScenario, RuleSet>(),
    };
    this.#cache.set(project, built);
    return built;
  }

  /** Builds the rule set with these layers between those that come first and those of the server. */
  #build(layers: Parameters<typeof createRuleSet>[0]): RuleSet {
    return createRuleSet([
      { scope: 'first', scenarios: this.#first },
      ...layers,
      { scope: 'server', scenarios: this.#scenarios },
      { scope: 'magic-ids', scenarios: this.#magicIds },
    ]);
  }
}

function toScenariosKey(scenarios: readonly CompiledScenario[]): string {
  return createHash('scenarios').of(JSON.stringify(scenarios.map(({ source }) => source)));
}
