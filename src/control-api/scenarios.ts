/** Control API handlers for the active scenarios of one project and of all projects. */
import { isDeepStrictEqual } from 'node:util';
import { withoutSecrets } from '../journal/recording.ts';
import { toKeyProblem } from '../keys/api-key.ts';
import { maxViolations, type Problem } from '../lib/problem.ts';
import { runInSlices, type Slices } from '../lib/slices.ts';
import type { Project } from '../project/project.ts';
import { type CompiledScenario, compileScenario, refuseAfterStart, refuseForOneProject } from '../scenarios/compile.ts';
import { isForAll, type ScopedRule } from '../scenarios/compiled.ts';
import { activationOf, windowOf } from '../scenarios/counts.ts';
import { judge, tally } from '../scenarios/expect.ts';
import { toUnknownName } from '../scenarios/library.ts';
import type { Scenario } from '../scenarios/types.ts';
import { scenarioFactor, sizeOfScenarios } from '../usage/size.ts';
import type { Caller } from './caller.ts';
import { findFailure } from './catalog.ts';
import {
  type ControlParts,
  type ControlRequest,
  noContent,
  ok,
  projectOf,
  type Rejection,
  recordSetting,
  reject,
  type Schema,
  type SomeHandlers,
  slicesFor,
  usedBy,
} from './handler.ts';
import { readEntry, toInvalidScenario, toScenarioText } from './library.ts';

function serverScenarioNames({ projects }: ControlParts): string[] {
  return projects.serverScenarios.map(({ name }) => name);
}

export function showScenarios(parts: ControlParts, project: Project | undefined): Schema<'ActiveScenarios'> {
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
  const left = times === undefined ? null : Math.max(0, times - acted);
  return { scenario, rule: name, met, acted, left, window: windowOf(during, activatedAt, counts?.get(key)) };
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

interface PutRequest extends ControlRequest {
  readonly body: { readonly scenarios: readonly unknown[]; readonly keep?: boolean };
}

/** Compiles scenarios of a body, whose memory is reserved meanwhile. */
async function reserving<Done>(
  { admission }: ControlParts,
  { bodyBytes, caller }: ControlRequest,
  compileBody: () => Promise<Done>,
): Promise<Done | Rejection> {
  const reserved = admission.reserve(scenarioFactor * bodyBytes, caller.key);
  return 'problem' in reserved ? reserved : compileBody().finally(reserved.release);
}

/** Compiles all scenarios of a body. Returns a problem that lists the mistakes of all invalid ones, or if they do not fit. */
async function compileAll(
  parts: ControlParts,
  active: readonly CompiledScenario[],
  request: PutRequest,
): Promise<{ readonly scenarios: readonly CompiledScenario[] } | Rejection> {
  const { scenarios, keep = false } = request.body;
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
): Promise<{ readonly scenario: CompiledScenario } | Rejection> {
  const name = request.params['name'] ?? '';
  const { body } = request;
  const known = (await parts.library.compiled(name)) ?? active.find((one) => one.name === name);
  if (body === undefined && known) return { scenario: known };
  const text = body === undefined ? findFailure(parts, name) : toScenarioText(request);
  if (text === undefined) return reject('notFound', toUnknownName(name, [...parts.library.list(), ...active]));
  const read = await readEntry(slicesFor(parts, request), name, text);
  if (!read.entry) return toInvalidScenario(request, read.issues);
  return { scenario: await compileScenario(read.entry.scenario) };
}

interface Activation {
  /** The counts of scenarios continue that are active already. */
  readonly keep?: boolean | undefined;
  /** Those that are active for a moment before. */
  readonly first?: readonly CompiledScenario[] | undefined;
}

/** Activates scenarios of a project, if they fit. */
function activateOwn(
  parts: ControlParts,
  request: ControlRequest,
  scenarios: readonly CompiledScenario[],
  { keep = false, first }: Activation,
) {
  const problem = refuse(scenarios, refuseForOneProject);
  if (problem) return { problem };
  const sources = scenarios.map(({ source }) => source);
  const { key } = request.caller;
  const full =
    parts.admission.admitAll(usedBy(parts, request), sizeOfScenarios(sources), key) ??
    // Others may have created projects while the scenarios were compiled.
    (key && parts.projectQuota(key, projectOf(request)));
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

/** Returns whether the conditions of a scenario for all projects are hidden from a caller. */
export function hiddenForAll(
  parts: Pick<ControlParts, 'library' | 'projects'>,
  caller: Pick<Caller, 'isAdmin'>,
): (scenario: string) => boolean {
  if (caller.isAdmin) return () => false;
  // Several active scenarios may have one name, of which only one is that of the library.
  const readable = new Map<string, boolean>();
  for (const { name, source } of parts.projects.serverScenarios)
    readable.set(name, readable.get(name) !== false && mayReadForAll(parts, caller, source));
  return (scenario) => readable.get(scenario) !== true;
}

const adminOnly =
  'this scenario is for all projects and not in the library, so its text needs the admin token: send `authorization: Bearer TOKEN`';

/** Returns a scenario as it is active, with masked secrets, or the problem if the caller may not read it. */
export function readActive(
  parts: ControlParts,
  caller: Caller,
  name: string,
  project: Project | undefined,
): Scenario | Rejection | undefined {
  const own = project?.scenarios.find((one) => one.name === name);
  const found = own ?? parts.projects.serverScenarios.find((one) => one.name === name);
  if (!found) return undefined;
  if (!own && !mayReadForAll(parts, caller, found.source)) return { problem: toKeyProblem('foreignKey', adminOnly) };
  return withoutSecrets(found.source, parts.keys.isKey);
}

export function listExpectations(
  parts: ControlParts,
  found: Project | undefined,
  caller: Caller,
): readonly Schema<'ExpectationVerdict'>[] {
  const isHidden = hiddenForAll(parts, caller);
  return parts.projects.rulesOf(found).expectations.map((scoped) => {
    const { scenario, expectation } = scoped;
    const count = found ? tally(scoped, found.state) : 0;
    const shown = isForAll(scoped) && isHidden(scenario) ? { ...expectation, about: 'an expectation' } : expectation;
    return { scenario, count, ...judge(shown, count) };
  });
}

/** Where scenarios are active: in a project, or for all. */
interface Scope<Done> {
  /** Returns those that are active now. */
  active(): readonly CompiledScenario[];
  activate(scenarios: readonly CompiledScenario[], options: Activation): Done | Promise<Done>;
}

const own = (parts: ControlParts, request: ControlRequest): Scope<ReturnType<typeof activateOwn>> => ({
  active: () => parts.projects.find(projectOf(request))?.scenarios ?? [],
  activate: (scenarios, options) => activateOwn(parts, request, scenarios, options),
});

const forAll = (parts: ControlParts): Scope<Awaited<ReturnType<typeof activateEverywhere>>> => ({
  active: () => parts.projects.serverScenarios,
  activate: (scenarios) => activateEverywhere(parts, scenarios),
});

async function putAll<Done>(parts: ControlParts, request: PutRequest, { active, activate }: Scope<Done>) {
  const compiled = await reserving(parts, request, () => compileAll(parts, active(), request));
  if ('problem' in compiled) return compiled;
  const { scenarios, keep = false } = request.body;
  // Meanwhile, another request may have replaced one that stays.
  const now = new Map((keep ? active() : []).toReversed().map((one) => [one.name, one]));
  const all = compiled.scenarios.map((one, index) =>
    typeof scenarios[index] === 'string' ? (now.get(one.name) ?? one) : one,
  );
  return activate(all, { keep });
}

/** Activates one more: in the place of its earlier version, or before all. */
async function putOne<Done>(parts: ControlParts, request: ControlRequest, { active, activate }: Scope<Done>) {
  const compiled = await reserving(parts, request, () => compileNamed(parts, active(), request));
  if ('problem' in compiled) return compiled;
  const at = active().findIndex(({ name }) => name === compiled.scenario.name);
  const others = active().filter(({ name }) => name !== compiled.scenario.name);
  const all = others.toSpliced(Math.max(0, at), 0, compiled.scenario);
  if (all.reduce((sum, { rules }) => sum + rules.length, 0) > maxRules) return { problem: tooManyRules() };
  // The counts of its earlier version end: its rules fire again that were used up.
  return activate(all, { keep: true, first: at < 0 ? undefined : others });
}

/** Nothing changes if a scenario is not active. A name that nothing has is a mistake. */
async function removeOne(parts: ControlParts, name: string, { active, activate }: Scope<object>) {
  const others = active().filter((one) => one.name !== name);
  if (others.length === active().length) {
    const isKnown = parts.library.find(name) !== undefined || findFailure(parts, name) !== undefined;
    return isKnown ? noContent : reject('notFound', toUnknownName(name, parts.library.list()));
  }
  const done = await activate(others, { keep: true });
  return 'problem' in done ? (done as Rejection) : noContent;
}

export const scenarioHandlers: SomeHandlers = {
  getExpectations: (parts, { caller }, project) => {
    const items = listExpectations(parts, project, caller);
    return ok({ met: items.every(({ met }) => met), items });
  },

  getActiveScenarios: (parts, _request, project) => ok(showScenarios(parts, project)),

  getActiveScenario: (parts, { params: { name }, caller }, project) => {
    const found = readActive(parts, caller, name, project);
    if (found) return 'problem' in found ? found : ok({ ...found });
    const active = [...(project?.scenarios ?? []), ...parts.projects.serverScenarios];
    const names = active.length === 0 ? 'none' : active.map((one) => one.name).join(', ');
    return reject('notFound', `the scenario ${JSON.stringify(name.slice(0, 64))} is not active here; active: ${names}`);
  },

  putActiveScenarios: (parts, request) => putAll(parts, request, own(parts, request)),
  putActiveScenario: (parts, request) => putOne(parts, request, own(parts, request)),
  deleteActiveScenario: (parts, request) => removeOne(parts, request.params.name, own(parts, request)),

  getServerScenarios: (parts) => ok(showServerScenarios(parts)),
  putServerScenarios: (parts, request) => putAll(parts, request, forAll(parts)),
  putServerScenario: (parts, request) => putOne(parts, request, forAll(parts)),
  deleteServerScenario: (parts, { params }) => removeOne(parts, params.name, forAll(parts)),
};
