/** Control API handlers for the active scenarios of one project and of all projects. */
import { isDeepStrictEqual } from 'node:util';
import { withoutSecrets } from '../journal/recording.ts';
import { toKeyProblem } from '../keys/api-key.ts';
import { maxViolations, type Problem } from '../lib/problem.ts';
import { runInSlices, type Slices } from '../lib/slices.ts';
import { toTimestamp } from '../lib/time.ts';
import type { components } from '../openapi/control.gen.ts';
import type { Project } from '../project/project.ts';
import { type CompiledScenario, compileScenario, refuseAfterStart, refuseForOneProject } from '../scenarios/compile.ts';
import type { ScopedRule } from '../scenarios/compiled.ts';
import { activationOf, type TimeWindow, windowOf } from '../scenarios/counts.ts';
import { judge, tally } from '../scenarios/expect.ts';
import { toUnknownName } from '../scenarios/library.ts';
import type { Scenario } from '../scenarios/types.ts';
import { scenarioFactor, sizeOfScenarios } from '../usage/project-usage.ts';
import type { Caller } from './caller.ts';
import { findFailure } from './catalog.ts';
import {
  type ControlParts,
  type ControlRequest,
  noContent,
  ok,
  projectOf,
  recordSetting,
  reject,
  type SomeHandlers,
  slicesFor,
  usedBy,
} from './handler.ts';
import { readEntry, toInvalidScenario, toScenarioText } from './library.ts';

function serverScenarioNames({ projects }: ControlParts): string[] {
  return projects.serverScenarios.map(({ name }) => name);
}

export function showScenarios(
  parts: ControlParts,
  project: Project | undefined,
): components['schemas']['ActiveScenarios'] {
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
  const parsed = await runInSlices(parseInline(given), slices);
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
    if (rules > maxRules) return { problem: tooManyRules() };
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

const tooManyRules = (): Problem => ({
  kind: 'invalid',
  message: `the scenarios have more than ${maxRules.toLocaleString('en')} rules in total, the maximum: activate fewer scenarios`,
  errors: [{ path: '/scenarios', message: `must have at most ${maxRules.toLocaleString('en')} rules in total` }],
});

/**
 * Compiles the scenario in the body, or without a body the one that the path names: of the library, an active one, or a
 * failure of the catalog.
 */
async function compileNamed(
  parts: ControlParts,
  active: readonly CompiledScenario[],
  request: ControlRequest,
): Promise<{ readonly scenario: CompiledScenario } | { readonly problem: Problem }> {
  const name = request.params['name'] ?? '';
  const { body } = request;
  const known = (await parts.library.compiled(name)) ?? active.find((one) => one.name === name);
  if (body === undefined && known) return { scenario: known };
  const text = body === undefined ? findFailure(parts, name) : toScenarioText(request);
  if (text === undefined) return reject('notFound', toUnknownName(name, [...parts.library.list(), ...active]));
  const reserved = parts.admission.reserve(scenarioFactor * request.bodyBytes, request.caller.key);
  if ('problem' in reserved) return reserved;
  try {
    const read = await readEntry(slicesFor(parts, request), name, text);
    return read.entry
      ? { scenario: await compileScenario(read.entry.scenario) }
      : toInvalidScenario(request, read.issues);
  } finally {
    reserved.release();
  }
}

/** Returns scenarios with one more: in the place of its earlier version, or before all. */
function withScenario(
  scenarios: readonly CompiledScenario[],
  added: CompiledScenario,
): { readonly all: readonly CompiledScenario[]; readonly others: readonly CompiledScenario[] } {
  const at = scenarios.findIndex(({ name }) => name === added.name);
  const others = scenarios.filter(({ name }) => name !== added.name);
  return { all: others.toSpliced(Math.max(0, at), 0, added), others };
}

/** Activates scenarios of a project, if they fit. `first`: those that are active for a moment before. */
function activateOwn(
  parts: ControlParts,
  request: ControlRequest,
  scenarios: readonly CompiledScenario[],
  { keep = false, first }: { readonly keep?: boolean; readonly first?: readonly CompiledScenario[] },
) {
  const problem = refuse(scenarios, refuseForOneProject);
  if (problem) return { problem };
  const sources = scenarios.map(({ source }) => source);
  const full = parts.admission.admitScenarios(usedBy(parts, request), sizeOfScenarios(sources), request.caller.key);
  if (full) return { problem: full };
  const project = parts.projects.open(projectOf(request));
  for (const all of first ? [first, scenarios] : [scenarios]) {
    const setting = { kind: 'scenarios', scenarios: all.map(({ source }) => source) } as const;
    project.activate(all, recordSetting(parts, project, { ...setting, ...(keep && { keeps: true as const }) }), keep);
  }
  return ok(showScenarios(parts, project));
}

/** Activates scenarios of all projects. */
async function activateEverywhere(parts: ControlParts, scenarios: readonly CompiledScenario[]) {
  // A client may send back the scenarios that it read, including those that always stay active.
  const { serverScenarios } = parts.projects;
  const problem = refuse(scenarios, (one) => (serverScenarios.includes(one) ? undefined : refuseAfterStart(one)));
  if (problem) return { problem };
  if (parts.controlPlacement) await parts.controlPlacement.shareServerScenarios(scenarios.map(({ source }) => source));
  else activateForAll(parts, scenarios);
  return ok(showServerScenarios(parts));
}

function countRules(scenarios: readonly CompiledScenario[]): number {
  return scenarios.reduce((sum, { rules }) => sum + rules.length, 0);
}

/** Nothing changes if a scenario is not active. A name that nothing has is a mistake. */
function alreadyOff(parts: ControlParts, name: string) {
  const isKnown = parts.library.find(name) !== undefined || findFailure(parts, name) !== undefined;
  return isKnown ? noContent : reject('notFound', toUnknownName(name, parts.library.list()));
}

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

/** Returns a scenario as it is active, with masked secrets, or the problem if the caller may not read it. */
export function readActive(
  parts: ControlParts,
  caller: Caller,
  name: string,
  project: Project | undefined,
): Scenario | { readonly problem: Problem } | undefined {
  const own = project?.scenarios.find((one) => one.name === name);
  const found = own ?? parts.projects.serverScenarios.find((one) => one.name === name);
  if (!found) return undefined;
  if (!own && !mayReadForAll(parts, caller, found.source)) return { problem: toKeyProblem('foreignKey', adminOnly) };
  return withoutSecrets(found.source, parts.keys.isKey);
}

export function listExpectations(parts: ControlParts, project: string): components['schemas']['ExpectationVerdict'][] {
  const found = parts.projects.find(project);
  return parts.projects.rulesOf(found).expectations.map((scoped) => {
    const count = found ? tally(scoped, found.state) : 0;
    return { scenario: scoped.scenario, count, ...judge(scoped.expectation, count) };
  });
}

export const scenarioHandlers: SomeHandlers = {
  getExpectations: (parts, request) => {
    const items = listExpectations(parts, projectOf(request));
    return ok({ met: items.every(({ met }) => met), items });
  },

  getActiveScenarios: (parts, request) => ok(showScenarios(parts, parts.projects.find(projectOf(request)))),

  getActiveScenario: (parts, request) => {
    const name = request.params['name'] ?? '';
    const project = parts.projects.find(projectOf(request));
    const found = readActive(parts, request.caller, name, project);
    if (found) return 'problem' in found ? found : ok({ ...found });
    const active = [...(project?.scenarios ?? []), ...parts.projects.serverScenarios];
    const names = active.length === 0 ? 'none' : active.map((one) => one.name).join(', ');
    return reject('notFound', `the scenario ${JSON.stringify(name.slice(0, 64))} is not active here; active: ${names}`);
  },

  putActiveScenarios: async (parts, request) => {
    const active = parts.projects.find(projectOf(request))?.scenarios ?? [];
    const compiled = await compileAll(parts, active, request);
    if ('problem' in compiled) return compiled;
    const { keep = false } = request.body as Activated;
    return activateOwn(parts, request, compiled.scenarios, { keep });
  },

  putActiveScenario: async (parts, request) => {
    const ownOf = () => parts.projects.find(projectOf(request))?.scenarios ?? [];
    const compiled = await compileNamed(parts, ownOf(), request);
    if ('problem' in compiled) return compiled;
    const { all, others } = withScenario(ownOf(), compiled.scenario);
    if (countRules(all) > maxRules) return { problem: tooManyRules() };
    // The counts of its earlier version end: its rules fire again that were used up.
    const isAgain = others.length < ownOf().length;
    return activateOwn(parts, request, all, { keep: true, ...(isAgain && { first: others }) });
  },

  deleteActiveScenario: (parts, request) => {
    const name = request.params['name'] ?? '';
    const own = parts.projects.find(projectOf(request))?.scenarios ?? [];
    const others = own.filter((one) => one.name !== name);
    if (others.length === own.length) return alreadyOff(parts, name);
    const done = activateOwn(parts, request, others, { keep: true });
    return 'problem' in done ? done : noContent;
  },

  getServerScenarios: (parts) => ok(showServerScenarios(parts)),

  putServerScenarios: async (parts, request) => {
    const compiled = await compileAll(parts, parts.projects.serverScenarios, request);
    return 'problem' in compiled ? compiled : activateEverywhere(parts, compiled.scenarios);
  },

  putServerScenario: async (parts, request) => {
    const compiled = await compileNamed(parts, parts.projects.serverScenarios, request);
    if ('problem' in compiled) return compiled;
    const { all } = withScenario(parts.projects.serverScenarios, compiled.scenario);
    return countRules(all) > maxRules ? { problem: tooManyRules() } : activateEverywhere(parts, all);
  },

  deleteServerScenario: async (parts, { params }) => {
    const name = params['name'] ?? '';
    const active = parts.projects.serverScenarios;
    const others = active.filter((one) => one.name !== name);
    if (others.length === active.length) return alreadyOff(parts, name);
    const done = await activateEverywhere(parts, others);
    return 'problem' in done ? done : noContent;
  },
};
