/** The control API's switches of scenarios: those of one project, and those of all. */

import type { Problem } from '../../base/problem.ts';
import { operationIds } from '../../operations/index.ts';
import { type CompiledScenario, compileScenario } from '../../scenarios/compile.ts';
import { toUnknownName } from '../../scenarios/library.ts';
import type { World } from '../../world.ts';
import { type ControlHandlers, type ControlParts, type ControlRequest, noteSetting, ok, projectOf } from './handler.ts';

type ScenarioIds = 'getActiveScenarios' | 'putActiveScenarios' | 'getServerScenarios' | 'putServerScenarios';

function namesForAll({ worlds }: ControlParts): string[] {
  return worlds.serverScenarios.map(({ name }) => name);
}

function showScenarios(parts: ControlParts, world: World | undefined) {
  return {
    scenarios: world?.scenarios.map(({ name }) => name) ?? [],
    serverScenarios: namesForAll(parts),
    magicIds: parts.magicIds,
    rules: parts.worlds.rulesOf(world).rules.map(({ key, rule: { scenario, name, times } }) => {
      const { met, acted } = world?.data.ruleCounts.get(key) ?? { met: 0, acted: 0 };
      return { scenario, rule: name, met, acted, left: times === undefined ? null : Math.max(0, times - acted) };
    }),
  };
}

function showForAll(parts: ControlParts) {
  return { scenarios: namesForAll(parts), magicIds: parts.magicIds };
}

/** A scenario named or given inline, compiled; or why it can't be used. */
async function compile(
  parts: ControlParts,
  active: readonly CompiledScenario[],
  given: unknown,
  index: number,
): Promise<CompiledScenario | Problem> {
  const path = `/scenarios/${index}`;
  if (typeof given === 'string') {
    // One that was written out, or deleted since, can be named as long as it is switched on.
    const found = (await parts.library.compiled(given)) ?? active.find(({ name }) => name === given);
    const message = toUnknownName(given, [...parts.library.list(), ...active]);
    return found ?? { kind: 'invalid', message, errors: [{ path, message }] };
  }
  const { parseScenario } = await import('../../scenarios/parse.ts');
  const parsed = parseScenario(JSON.stringify(given), 'inline scenario', operationIds);
  if (parsed.ok) return compileScenario(parsed.scenario);
  const errors = parsed.issues.map((issue) => ({ path: path + issue.path, message: issue.message }));
  return { kind: 'invalid', message: `${path} is not a valid scenario: ${errors[0]?.message}`, errors };
}

/** All scenarios that a body names or writes out, or what is wrong with all of those that can't be used. */
async function compileAll(
  parts: ControlParts,
  active: readonly CompiledScenario[],
  { body }: ControlRequest,
): Promise<{ readonly scenarios: readonly CompiledScenario[] } | { readonly problem: Problem }> {
  const { scenarios } = body as { scenarios: readonly unknown[] };
  const compiled = await Promise.all(scenarios.map((given, index) => compile(parts, active, given, index)));
  const problems = compiled.filter((one): one is Problem => 'kind' in one);
  const [first] = problems;
  if (!first) return { scenarios: compiled.filter((one): one is CompiledScenario => !('kind' in one)) };
  return { problem: { ...first, errors: problems.flatMap(({ errors = [] }) => errors) } };
}

export const scenarioHandlers: ControlHandlers<ScenarioIds> = {
  getActiveScenarios: (parts, request) => ok(showScenarios(parts, parts.worlds.find(projectOf(request)))),

  putActiveScenarios: async (parts, request) => {
    const active = parts.worlds.find(projectOf(request))?.scenarios ?? [];
    const wanted = await compileAll(parts, active, request);
    if ('problem' in wanted) return wanted;
    const { scenarios } = wanted;
    const world = parts.worlds.open(projectOf(request));
    const atMs = noteSetting(parts, world, { kind: 'scenarios', scenarios: scenarios.map(({ source }) => source) });
    world.activate(scenarios, atMs);
    return ok(showScenarios(parts, world));
  },

  getServerScenarios: (parts) => ok(showForAll(parts)),

  putServerScenarios: async (parts, request) => {
    const wanted = await compileAll(parts, parts.worlds.serverScenarios, request);
    if ('problem' in wanted) return wanted;
    const { scenarios } = wanted;
    const setting = { kind: 'server-scenarios', scenarios: scenarios.map(({ source }) => source) } as const;
    parts.worlds.switchForAll(scenarios, (world) => noteSetting(parts, world, setting));
    return ok(showForAll(parts));
  },
};
