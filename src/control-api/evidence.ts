/** Control API handlers for a project's expectations and its recording. */
import { redactEndpoint } from '../http/redact.ts';
import { type CapturedRecording, type ScenarioTable, toRecording } from '../journal/recording.ts';
import type { components } from '../openapi/control.gen.ts';
import { judge, tally } from '../scenarios/expect.ts';
import type { Scenario } from '../scenarios/types.ts';
import { type ControlHandlers, type ControlParts, ok, okInPieces, projectOf } from './handler.ts';
import { mayReadForAll } from './scenarios.ts';

export function listExpectations(parts: ControlParts, project: string): components['schemas']['ExpectationVerdict'][] {
  const found = parts.projects.find(project);
  return parts.projects.rulesOf(found).expectations.map((scoped) => {
    const count = found ? tally(scoped, found.state) : 0;
    return { scenario: scoped.scenario, count, ...judge(scoped.expectation, count) };
  });
}

interface RecordOptions {
  /** Collects the scenarios of the project, by default without their secrets. */
  readonly table?: ScenarioTable;
  /** Whether the recording may name a project. */
  readonly mayUse?: (project: string) => boolean;
  /** Whether the recording may have the rules of a scenario for all projects. */
  readonly mayReadForAll?: (scenario: Scenario) => boolean;
}

/** Records a project as it is now, after the work that is due. */
export function recordProject(
  parts: ControlParts,
  project: string,
  { table, mayUse = () => true, mayReadForAll: mayRead = () => true }: RecordOptions = {},
): CapturedRecording {
  const { projects, journal, seed, strict, profile, overlays, defaultEndpoint, defaultClock, wall } = parts;
  const found = projects.find(project);
  // First, because it runs due work, which changes the data below.
  const nowMs = found?.runDue() ?? defaultClock.nowMs ?? wall.now();
  const origin = found?.state.forkedFrom;
  const source = {
    project,
    seed,
    strict,
    profile,
    ...(overlays && { overlays }),
    callbackEndpoint: defaultEndpoint ? redactEndpoint(defaultEndpoint.url) : null,
    begunAtMs: found?.state.begunAt ?? nowMs,
    nowMs,
    serverScenarios: (found ? projects.initialServerScenarios(found) : projects.serverScenarios).map(
      ({ source }) => source,
    ),
    magicIds: projects.magicIds?.source,
    requests: [...journal.list(project), ...(found?.delayedRequests ?? [])],
    settings: journal.settings(project),
    callbacks: [...(found?.state.callbacks.values() ?? [])],
    changeCount: found?.state.changeCount ?? 0,
    forkedFrom: origin && (mayUse(origin.project) ? origin : { project: 'another project' }),
    isKey: parts.keys.isKey,
    mayRead,
  };
  return toRecording(source, table);
}

export const evidenceHandlers: ControlHandlers<'getExpectations' | 'getRecording'> = {
  getExpectations: (parts, request) => {
    const items = listExpectations(parts, projectOf(request));
    return ok({ met: items.every(({ met }) => met), items });
  },
  getRecording: (parts, request) => {
    const { caller } = request;
    const mayRead = (scenario: Scenario): boolean => mayReadForAll(parts, caller, scenario);
    return okInPieces(recordProject(parts, projectOf(request), { mayUse: caller.mayUse, mayReadForAll: mayRead }));
  },
};
