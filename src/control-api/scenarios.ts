/** Control API handlers for the active scenarios of one project and of all projects. */
import { isDeepStrictEqual } from 'node:util';
import { withoutSecrets } from '../journal/recording.ts';
import { toKeyProblem } from '../keys/api-key.ts';
import { maxViolations, type Problem } from '../lib/problem.ts';
import type { Slices } from '../lib/slices.ts';
import { toTimestamp } from '../lib/time.ts';
import { operationIds } from '../operations/index.ts';
import type { Project } from '../project/project.ts';
import { type CompiledScenario, compileScenario, refuseAfterStart, refuseForOneProject } from '../scenarios/compile.ts';
import type { ScopedRule } from '../scenarios/compiled.ts';
import { activationOf, type TimeWindow, windowOf } from '../scenarios/counts.ts';
import { toUnknownName } from '../scenarios/library.ts';
import type { Scenario } from '../scenarios/types.ts';
import { scenarioFactor, sizeOfScenarios } from '../usage/project-usage.ts';
import type { Caller } from './caller.ts';
import {
  type ControlHandlers,
  type ControlParts,
  type ControlRequest,
  ok,
  projectOf,
  recordSetting,
  reject,
  slicesFor,
  usedBy,
} from './handler.ts';

type ScenarioIds =
  | 'getActiveScenarios'
  | 'getActiveScenario'
  | 'putActiveScenarios'
  | 'getServerScenarios'
  | 'putServerScenarios';

function serverScenarioNames({ projects }: ControlParts): string[] {
  return projects.serverScenarios.map(({ name }) => name);
}

function showScenarios(parts: ControlParts, project: Project | undefined) {
  return {
    scenarios: project?.scenarios.map(({ name }) => name) ?? [],
    serverScenarios: serverScenarioNames(parts),
    magicIds: parts.magicIds,
    rules: parts.projects.rulesOf(project).rules.map((scoped) => showRule(parts, project, scoped)),
  };
}

function showRule(parts: ControlParts, project: Project | undefined, { key, layer, rule }: ScopedRule) {
  const { scenario, name, times, isServerWide, during } = rule;
  const counts = isServerWide ? parts.projects.serverCounts : project?.state.ruleCounts;
  const { met, acted } = counts?.get(key) ?? { met: 0, acted: 0 };
  // A rule for all projects has its time span on the server's clock, not on that of the project.
  const activatedAt = isServerWide || !project ? undefined : activationOf(project.state.activations, layer)?.atMs;
  const window = windowOf(during, activatedAt, counts?.get(key));
  return {
    ...{ scenario, rule: name, met, acted, left: times === undefined ? null : Math.max(0, times - acted) },
    ...(window && { window: showWindow(window) }),
  };
}

function showWindow({ from, to }: TimeWindow) {
  return { from: toTimestamp(from), ...(to !== undefined && { to: toTimestamp(to) }) };
}

function showServerScenarios(parts: ControlParts) {
  return { scenarios: serverScenarioNames(parts), magicIds: parts.magicIds };
}

/** Compiles a scenario given by name or inline. Returns a problem if it can't be used. */
async function compile(
  parts: ControlParts,
  active: readonly CompiledScenario[],
  given: unknown,
  index: number,
  keeps: boolean,
  slices: Slices,
): Promise<CompiledScenario | Problem> {
  const path = `/scenarios/${index}`;
  if (typeof given === 'string') {
    // An active scenario can be named even if it was given inline, or deleted from the library since.
    const own = active.find(({ name }) => name === given);
    const found = keeps && own ? own : ((await parts.library.compiled(given)) ?? own);
    const message = toUnknownName(given, [...parts.library.list(), ...active]);
    return found ?? { kind: 'invalid', message, errors: [{ path, message }] };
  }
  const { parseInline } = await import('../scenarios/parse.ts');
  const parsed = await parseInline(given, operationIds, slices);
  if (parsed.ok) return compileScenario(parsed.scenario);
  const errors = parsed.issues.map((issue) => ({ path: path + issue.path, message: issue.message }));
  return { kind: 'invalid', message: `${path} is not a valid scenario: ${errors[0]?.message}`, errors };
}

/** The body of an activation. `keep`: the counts of scenarios continue that are active already. */
interface Activated {
  readonly scenarios: readonly unknown[];
  readonly keep?: boolean;
}

type CompiledAll = { readonly scenarios: readonly CompiledScenario[] } | { readonly problem: Problem };

/**
 * Compiles all scenarios of a body, whose memory is reserved meanwhile. Returns a problem that lists the mistakes of all
 * invalid ones, or if they do not fit.
 */
async function compileAll(
  parts: ControlParts,
  active: readonly CompiledScenario[],
  request: ControlRequest,
): Promise<CompiledAll> {
  const reserved = parts.admission.reserve(scenarioFactor * request.bodyBytes, request.caller.key);
  return 'problem' in reserved ? reserved : compileEach(parts, active, request).finally(reserved.release);
}

async function compileEach(
  parts: ControlParts,
  active: readonly CompiledScenario[],
  request: ControlRequest,
): Promise<CompiledAll> {
  const { scenarios, keep = false } = request.body as Activated;
  const slices = slicesFor(parts, request);
  const compiled: CompiledScenario[] = [];
  const problems: Problem[] = [];
  let rules = 0;
  for (const [index, given] of scenarios.entries()) {
    if (slices.isOver()) await slices.next();
    const one = await compile(parts, active, given, index, keep, slices);
    if ('kind' in one) problems.push(one);
    else compiled.push(one);
    rules += 'kind' in one ? 0 : one.rules.length;
    if (rules > maxRules) return { problem: tooManyRules };
    if (problems.length === maxViolations) break;
  }
  const [first] = problems;
  if (!first) return { scenarios: compiled };
  return { problem: { ...first, errors: problems.flatMap(({ errors = [] }) => errors) } };
}

/** Returns the problem if a scenario can't be activated here; `why` returns the reason. */
function refuse(
  scenarios: readonly CompiledScenario[],
  why: (scenario: CompiledScenario) => string | undefined,
): Problem | undefined {
  const errors = scenarios.flatMap((scenario, index) => {
    const message = why(scenario);
    return message === undefined ? [] : [{ path: `/scenarios/${index}`, message }];
  });
  return errors[0] && { kind: 'invalid', message: errors[0].message, errors };
}

/** Maximum number of active rules, per project and for all projects: each request checks all of them. */
const maxRules = 20_000;

const tooManyRules: Problem = {
  kind: 'invalid',
  message: `the scenarios have more than ${maxRules.toLocaleString('en')} rules in total, the maximum: activate fewer scenarios`,
  errors: [{ path: '/scenarios', message: `must have at most ${maxRules.toLocaleString('en')} rules in total` }],
};

/** Replaces the server scenarios of this server. */
export function activateForAll(parts: ControlParts, scenarios: readonly CompiledScenario[]): void {
  const setting = { kind: 'server-scenarios', scenarios: scenarios.map(({ source }) => source) } as const;
  parts.projects.activateForAll(scenarios, (project) => recordSetting(parts, project, setting));
}

/**
 * Returns whether a caller may read a scenario for all projects: one of the admin may name other projects and their
 * values, so keys read only those of the library.
 */
export function mayReadForAll(
  { library }: Pick<ControlParts, 'library'>,
  { isAdmin }: Pick<Caller, 'isAdmin'>,
  scenario: Scenario,
): boolean {
  return isAdmin || isDeepStrictEqual(library.find(scenario.name)?.scenario, scenario);
}

const adminOnly =
  'this scenario is for all projects and not in the library, so its text needs the admin token: send `authorization: Bearer TOKEN`';

export const scenarioHandlers: ControlHandlers<ScenarioIds> = {
  getActiveScenarios: (parts, request) => ok(showScenarios(parts, parts.projects.find(projectOf(request)))),

  getActiveScenario: (parts, request) => {
    const name = request.params['name'] ?? '';
    const own = parts.projects.find(projectOf(request))?.scenarios ?? [];
    const active = [...own, ...parts.projects.serverScenarios];
    const found = active.find((one) => one.name === name);
    if (found && !own.includes(found) && !mayReadForAll(parts, request.caller, found.source))
      return { problem: toKeyProblem('foreignKey', adminOnly) };
    if (found) return ok({ ...withoutSecrets(found.source, parts.keys.isKey) });
    const names = active.length === 0 ? 'none' : active.map((one) => one.name).join(', ');
    return reject('notFound', `the scenario ${JSON.stringify(name.slice(0, 64))} is not active here; active: ${names}`);
  },

  putActiveScenarios: async (parts, request) => {
    const active = parts.projects.find(projectOf(request))?.scenarios ?? [];
    const compiled = await compileAll(parts, active, request);
    if ('problem' in compiled) return compiled;
    const { scenarios } = compiled;
    const refused = refuse(scenarios, refuseForOneProject);
    if (refused) return { problem: refused };
    const sources = scenarios.map(({ source }) => source);
    const used = usedBy(parts, request);
    const full = parts.admission.admitScenarios(used, sizeOfScenarios(sources), request.caller.key);
    if (full) return { problem: full };
    const project = parts.projects.open(projectOf(request));
    const { keep = false } = request.body as Activated;
    const setting = { kind: 'scenarios', scenarios: sources, ...(keep && { keeps: true as const }) } as const;
    project.activate(scenarios, recordSetting(parts, project, setting), keep);
    return ok(showScenarios(parts, project));
  },

  getServerScenarios: (parts) => ok(showServerScenarios(parts)),

  putServerScenarios: async (parts, request) => {
    const compiled = await compileAll(parts, parts.projects.serverScenarios, request);
    if ('problem' in compiled) return compiled;
    const { scenarios } = compiled;
    // A client may send back the scenarios that it read, including those that always stay active.
    const { serverScenarios } = parts.projects;
    const refused = refuse(scenarios, (one) => (serverScenarios.includes(one) ? undefined : refuseAfterStart(one)));
    if (refused) return { problem: refused };
    if (parts.controlPlacement)
      await parts.controlPlacement.shareServerScenarios(scenarios.map(({ source }) => source));
    else activateForAll(parts, scenarios);
    return ok(showServerScenarios(parts));
  },
};
