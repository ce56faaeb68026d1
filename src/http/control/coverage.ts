/** The control API's view of what clients have met: the catalogue as it is played here, and what was counted of it. */
import { didYouMean } from '../../base/nearest.ts';
import type { Problem } from '../../base/problem.ts';
import type { Condition } from '../../coverage/conditions.ts';
import { type CoverageReport, type Meetable, toCoverageReport } from '../../coverage/report.ts';
import { type Operation, type OperationId, operationIds, operations } from '../../operations/index.ts';
import type { CatalogEntry } from '../../scenarios/catalog.ts';
import { failureKinds, isOfCallbacks } from '../../scenarios/failure-kinds.ts';
import { matchesGlob } from '../../scenarios/glob.ts';
import { listFailures, tellsOf } from './catalog.ts';
import { type ControlHandlers, type ControlParts, type ControlRequest, ok, projectOf, refuse } from './handler.ts';

/** What was met in a project, or in all; of these operations alone, where some are named. */
export function reportCoverage(
  parts: ControlParts,
  project?: string,
  wanted: readonly OperationId[] = operationIds,
): CoverageReport {
  return toCoverageReport(toMeetable(parts, wanted), parts.coverage.read(project));
}

/** Disturbed callbacks are those of a type, whichever operation they tell of. */
function toMeetable(parts: ControlParts, wanted: readonly OperationId[]): Meetable {
  const byType = new Map<string, readonly Condition[]>();
  const listed = wanted.map((id) => {
    const all = listConditions(parts, id);
    const { tells }: Operation = operations[id];
    const disturbances = all.failures.filter(isOfCallbacks);
    if (tells && disturbances.length > 0 && !byType.has(tells)) byType.set(tells, disturbances);
    return { ...all, failures: all.failures.filter((one) => !isOfCallbacks(one)) };
  });
  return { operations: listed, callbacks: [...byType].map(([type, disturbances]) => ({ type, disturbances })) };
}

/** An operation with all that it can be made to meet, each with the shortest way to it. */
function listConditions(parts: ControlParts, id: OperationId) {
  const effects = new Map(failureKinds(tellsOf(parts, id)).map(({ kind, effect }) => [kind, effect]));
  const { failures, ...listed } = listFailures(parts, id);
  const conditions = failures.map((entry): Condition => {
    const { kind, about } = entry;
    return { kind, about, provoke: toProvocation(entry, effects.get(kind) ?? '') };
  });
  return { ...listed, failures: conditions };
}

function toProvocation({ kind, magicId, header }: CatalogEntry, effect: string): string {
  if (magicId !== undefined) return `an entry with the id ${magicId}`;
  if (header === undefined) return `a rule with then: ${effect}`;
  return `the header ${header}${isOfCallbacks({ kind }) ? ', and an entry that fails' : ''}`;
}

/** The operations that the query names, or why it names none. */
function wantedOf({ query }: ControlRequest): readonly OperationId[] | Problem {
  const text = query['operation'];
  if (text === undefined) return operationIds;
  const globs = String(text)
    .split(',')
    .map((glob) => glob.trim());
  const lost = globs.find((glob) => !operationIds.some((id) => matchesGlob(glob, id)));
  if (lost === undefined) return operationIds.filter((id) => globs.some((glob) => matchesGlob(glob, id)));
  const meant = didYouMean(lost, operationIds);
  const message = `expected operationIds, got ${JSON.stringify(lost.slice(0, 64))}${meant}`;
  return refuse('invalid', message, 'query:operation').problem;
}

function answer(parts: ControlParts, request: ControlRequest, project?: string) {
  const wanted = wantedOf(request);
  return 'kind' in wanted ? { problem: wanted } : ok(reportCoverage(parts, project, wanted));
}

export const coverageHandlers: ControlHandlers<'getCoverage' | 'getProjectCoverage'> = {
  getCoverage: (parts, request) => answer(parts, request),
  getProjectCoverage: (parts, request) => answer(parts, request, projectOf(request)),
};
