/** Judges the scenarios of a run, over all projects and their lives: how often each rule fired, and each expectation. */
import type { NewEntry } from '../../journal/entry.ts';
import { formatCount } from '../../lib/format.ts';
import type { Project } from '../../project/project.ts';
import type { Discarded, EvaluatedRequest, ProjectRegistry } from '../../project/registry.ts';
import type { CompiledExpectation, CompiledRule, CompiledScenario } from '../../scenarios/compiled.ts';
import { activationOf } from '../../scenarios/counts.ts';
import { judge, tally, toExpectationText } from '../../scenarios/expect.ts';
import { explainTrace, stages, toSkipped } from '../../scenarios/explain.ts';
import type { Check, Outcome } from '../report/checks.ts';

export interface RuleVerdict {
  readonly name: string;
  /** Number of times the rule fired. */
  readonly acted: number;
  /** Probability of the rule; undefined if it always fires. */
  readonly chance: number | undefined;
  /** `skipped` for a rule that never fired, if it has a chance, or was not active for all projects from the start. */
  readonly outcome: Outcome;
  /** Why it did not fire, with the closest request; undefined if it fired. */
  readonly why: string | undefined;
}

export interface ScenarioVerdict {
  readonly name: string;
  /** Projects for which it was active; undefined if it was active for all projects. */
  readonly projects: readonly string[] | undefined;
  readonly rules: readonly RuleVerdict[];
  /** By their texts, with the actual value; for a project's own scenario also the project and the number of other failures. */
  readonly expectations: readonly Check[];
}

/** Compares texts by UTF-16 code units. Projects run in parallel, so the order of their events is random. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The request that came closest to firing a rule. */
interface Nearest {
  /** The furthest stage of the rule, as its index. */
  readonly distance: number;
  readonly describe: () => string;
}

interface RuleTally {
  readonly rule: CompiledRule;
  acted: number;
  /** How many requests or callbacks met its other conditions, in each project that had any. */
  readonly met: number[];
  nearest: Nearest | undefined;
}

interface ExpectationTally {
  readonly expectation: CompiledExpectation;
  /** The count over all projects. */
  count: number;
  /** Number of activations, and of those in which it was not met. Each activation in a project is judged alone. */
  times: number;
  unmet: number;
  /** Why it was not met, the first time. */
  why: string | undefined;
}

/** Counts of all scenarios with one text, in the projects for which they were active. */
interface Tally {
  readonly name: string;
  readonly text: string;
  /** Undefined for a scenario of all projects. */
  readonly projects: Set<string> | undefined;
  /** Number of requests in these projects. */
  requests: number;
  /** Outcome of a rule that never fired. */
  readonly unfired: Outcome;
  readonly rules: readonly RuleTally[];
  readonly expectations: readonly ExpectationTally[];
}

export class ScenarioResults {
  readonly #registry: Pick<ProjectRegistry, 'rulesOf' | 'serverScenarios'>;
  readonly #tallies = new Map<string, Tally>();
  /** Scenarios as texts: to write a large one takes milliseconds. */
  readonly #texts = new WeakMap<CompiledScenario, string>();
  readonly #nearest = new Map<CompiledRule, Nearest>();

  constructor(registry: Pick<ProjectRegistry, 'rulesOf' | 'serverScenarios'>) {
    this.#registry = registry;
    for (const scenario of registry.serverScenarios) this.#tallyOf(scenario, undefined, 'failed');
  }

  /** Notes how far each rule came. Of two requests that came equally far, keeps the later, which saw the higher count. */
  addEvaluated({ project, request, set, evaluation }: EvaluatedRequest): void {
    const { traces, outline } = evaluation;
    const traceOf = new Map(traces.map((trace) => [trace.rule, trace]));
    for (const scoped of set.rules) {
      if (scoped.layer.startsWith('header/')) continue;
      const trace = traceOf.get(scoped) ?? toSkipped(scoped, outline);
      const distance = stages.indexOf(trace.stage);
      if (distance < (this.#nearest.get(scoped.rule)?.distance ?? 0)) continue;
      // The text is created at the end, because a later request may come closer.
      const describe = () => {
        const isPlanned = trace.stage === 'planned';
        const why = isPlanned
          ? 'it matched the request, but fired for none of its callbacks'
          : explainTrace(trace, traces);
        return `${outline.operation} ${request} in project ${project}: ${why}`;
      };
      this.#nearest.set(scoped.rule, { distance, describe });
    }
  }

  /** Adds what a project counted for the scenarios that it, or all projects, are about to lose. */
  addProject(project: Project, discarded: Discarded, requests: () => readonly NewEntry[]): void {
    const { what } = discarded;
    if (what !== 'server scenarios')
      this.#addOwn(project, what === 'own scenarios' ? discarded.scenarios : project.scenarios, {
        requests,
        isReplaced: what === 'own scenarios',
      });
    if (what === 'own scenarios') return;
    for (const scenario of new Set(this.#registry.serverScenarios))
      this.#add(project, scenario, this.#tallyOf(scenario, undefined));
  }

  #addOwn(
    project: Project,
    scenarios: readonly CompiledScenario[],
    { requests, isReplaced }: { readonly requests: () => readonly NewEntry[]; readonly isReplaced: boolean },
  ): void {
    const all = scenarios.length === 0 ? [] : requests();
    for (const scenario of new Set(scenarios)) {
      const since = activationOf(project.state.activations, `project/${scenario.name}`)?.change ?? 0;
      const own = all.filter(({ evidence }) => evidence.change > since);
      // A scenario that was replaced before the first request is not judged.
      if (isReplaced && own.length === 0) continue;
      const found = this.#tallyOf(scenario, project.id);
      found.requests += own.length;
      this.#add(project, scenario, found);
    }
  }

  #add(project: Project, scenario: CompiledScenario, { projects, ...tallies }: Tally): void {
    const { rules, expectations } = this.#registry.rulesOf(project);
    // If the options name a scenario twice, only its first copy fires.
    const isOf = ({ key, layer }: { readonly key: string; readonly layer: string }): boolean =>
      projects ? layer.startsWith('project/') : /^(server|first)$/.test(layer) && !key.includes('@');
    for (const { key, rule } of rules.filter(isOf)) {
      const found = tallies.rules[scenario.rules.indexOf(rule)];
      if (!found) continue;
      const { acted = 0, met = 0 } = project.state.ruleCounts.get(key) ?? {};
      found.acted += acted;
      if (met > 0) found.met.push(met);
      const nearest = this.#nearest.get(rule);
      if (nearest && nearest.distance >= (found.nearest?.distance ?? 0)) found.nearest = nearest;
    }
    for (const scoped of expectations.filter(isOf)) {
      const found = tallies.expectations[scenario.expectations.indexOf(scoped.expectation)];
      if (!found) continue;
      const number = tally(scoped, project.state);
      const { met, why } = judge(scoped.expectation, number);
      found.count += number;
      found.times += 1;
      if (met) continue;
      found.unmet += 1;
      found.why ??= `in project ${project.id}: ${why}`;
    }
  }

  /** Returns the counts of a scenario in all projects, or in those that have activated it for themselves. */
  #tallyOf(scenario: CompiledScenario, project: string | undefined, unfired: Outcome = 'skipped'): Tally {
    const source = this.#texts.get(scenario) ?? JSON.stringify(scenario.source);
    this.#texts.set(scenario, source);
    const text = `${project === undefined ? 'all' : 'own'} ${source}`;
    const found = this.#tallies.get(text) ?? {
      ...{ name: scenario.name, text, unfired, requests: 0 },
      projects: project === undefined ? undefined : new Set<string>(),
      rules: scenario.rules.map((rule) => ({ rule, acted: 0, met: [], nearest: undefined })),
      expectations: scenario.expectations.map((expectation) => ({
        ...{ expectation, count: 0, times: 0, unmet: 0, why: undefined },
      })),
    };
    if (project !== undefined) found.projects?.add(project);
    this.#tallies.set(text, found);
    return found;
  }

  /** Judges the scenarios, those for all projects first. `requestCount`: number of all requests. */
  verdicts(requestCount: number): readonly ScenarioVerdict[] {
    const all = [...this.#tallies.values()];
    const toKey = ({ name, text, projects = new Set() }: Tally) => [name, [...projects].toSorted()[0], text].join('\n');
    const own = all.filter(({ projects }) => projects).toSorted((a, b) => compareTexts(toKey(a), toKey(b)));
    return [
      ...all.filter(({ projects }) => !projects).map((one) => toVerdict({ ...one, requests: requestCount })),
      ...own.map(toVerdict),
    ];
  }
}

function toVerdict({ name, projects, requests, unfired, rules, expectations }: Tally): ScenarioVerdict {
  return {
    name,
    projects: projects && [...projects].toSorted(),
    rules: rules.map((rule) => toRuleVerdict(rule, unfired, requests)),
    expectations: expectations.map(projects ? toOwnExpectation : toExpectation),
  };
}

function toRuleVerdict({ rule, acted, met, nearest }: RuleTally, unfired: Outcome, requests: number): RuleVerdict {
  const { name, chance } = rule;
  if (acted > 0) return { name, acted, chance, outcome: 'passed', why: undefined };
  const closest = nearest ? `closest request: ${nearest.describe()}` : explainUnseen(requests);
  const why = `${explainOwnCounts(rule, met)}${closest}`;
  return { name, acted, chance, outcome: chance === undefined ? unfired : 'skipped', why };
}

function explainUnseen(requests: number): string {
  if (requests === 0) return 'the sandbox received no requests';
  return requests === 1
    ? 'the only request was rejected before any rule was checked'
    : `all ${requests} requests were rejected before any rule was checked`;
}

/** Says that each project counts alone, if only all together made enough requests. */
function explainOwnCounts({ isServerWide, request, countsCallbacks }: CompiledRule, met: readonly number[]): string {
  const needed = request ? Math.ceil(request.from / request.every) * request.every : 1;
  const max = Math.max(...met);
  if (isServerWide || max >= needed || met.reduce((sum, one) => sum + one, 0) < needed) return '';
  const reached = formatCount(max, countsCallbacks ? 'callback' : 'request');
  return `counts are per project: ${met.length} counts reached at most ${reached}, but the rule needs ${needed}; add "scope: server" to the rule; `;
}

function toExpectation({ expectation, count: number }: ExpectationTally): Check {
  const { met, why } = judge(expectation, number);
  return { name: toExpectationText(expectation), outcome: met ? 'passed' : 'failed', text: why };
}

function toOwnExpectation({ expectation, times, unmet, why }: ExpectationTally): Check {
  const name = toExpectationText(expectation);
  if (why === undefined) return { name, outcome: 'passed', text: times > 1 ? `${name}: met all ${times} times` : name };
  const more = unmet > 1 ? ` (and ${unmet - 1} more ${unmet === 2 ? 'time' : 'times'})` : '';
  return { name, outcome: 'failed', text: why + more };
}
