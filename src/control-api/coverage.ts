/** Control API handlers for coverage: the failure catalogue, with how often clients have observed each failure. */
import { toCompletionType } from '../callbacks/callback.ts';
import type { Condition } from '../coverage/conditions.ts';
import type { CoverageCounts } from '../coverage/coverage.ts';
import { type CoverageCatalog, type CoverageReport, toCoverageReport } from '../coverage/report.ts';
import { didYouMean } from '../lib/nearest.ts';
import { type Operation, type OperationId, operationIds, operations } from '../operations/index.ts';
import { type CatalogEntry, toFailureName } from '../scenarios/catalog.ts';
import { isCallbackKind } from '../scenarios/failure-kinds.ts';
import { matchesGlob } from '../scenarios/glob.ts';
import type { Caller } from './caller.ts';
import { type CatalogParts, listFailures } from './catalog.ts';
import { type ControlHandlers, type ControlParts, ok, reject } from './handler.ts';

/** Reports coverage for the given operations or for all. */
export function reportCoverage(
  parts: CatalogParts & Pick<ControlParts, 'callbackFormat'>,
  counts: CoverageCounts,
  ids: readonly OperationId[] = operationIds,
): CoverageReport {
  return toCoverageReport(toCoverageCatalog(parts, ids), counts);
}

/** Groups failures by operation; failures of callbacks by callback type, because several operations share a type. */
function toCoverageCatalog(
  parts: CatalogParts & Pick<ControlParts, 'callbackFormat'>,
  ids: readonly OperationId[],
): CoverageCatalog {
  const byType = new Map<string, readonly Condition[]>();
  const listed = ids.map((id) => {
    const all = listConditions(parts, id);
    const { callbackType: type }: Operation = operations[id];
    const disturbances = all.failures.filter(isCallbackKind);
    if (type && disturbances.length > 0 && !byType.has(type)) {
      byType.set(type, disturbances);
      if (parts.callbackFormat.successes) byType.set(toCompletionType(type), disturbances.map(toCompletion));
    }
    return { ...all, failures: all.failures.filter((one) => !isCallbackKind(one)) };
  });
  return { operations: listed, callbacks: [...byType].map(([type, disturbances]) => ({ type, disturbances })) };
}

/** Returns a disturbance of callbacks about entries that are carried out. */
function toCompletion({ about, provoke, ...condition }: Condition): Condition {
  return {
    ...condition,
    about: about.replace('an entry fails downstream', 'an entry is carried out'),
    provoke: provoke.replace('an entry that fails', 'an entry that is carried out'),
  };
}

/** Returns an operation with its failures, each with the simplest way to provoke it. */
function listConditions(parts: CatalogParts, id: OperationId) {
  const { failures, ...listed } = listFailures(parts, id);
  const conditions = failures.map((entry): Condition => {
    const { kind, about, magicId, scenario = isCallbackKind(entry) ? undefined : toFailureName(id, kind) } = entry;
    return {
      ...{ kind, about, provoke: toProvocation(entry) },
      ...(scenario !== undefined && { scenario }),
      ...(magicId !== undefined && { magicId }),
    };
  });
  return { ...listed, failures: conditions };
}

function toProvocation({ kind, magicId, header, effect }: CatalogEntry): string {
  if (magicId !== undefined) return `an entry with the id ${magicId}`;
  if (header === undefined) return `a rule with then: ${effect}`;
  return `the header ${header}${isCallbackKind({ kind }) ? ', and an entry that fails' : ''}`;
}

/** Returns the operations that match a list of globs, or a mistake if a glob matches none. */
export function parseOperations(text: string): readonly OperationId[] | string {
  const globs = text.split(',').map((glob) => glob.trim());
  const unmatched = globs.find((glob) => !operationIds.some((id) => matchesGlob(glob, id)));
  if (unmatched === undefined) return operationIds.filter((id) => globs.some((glob) => matchesGlob(glob, id)));
  const suggestion = didYouMean(unmatched, operationIds);
  return `expected operationIds, got ${JSON.stringify(unmatched.slice(0, 64))}${suggestion}`;
}

function answer(parts: ControlParts, caller: Caller, operation: string | undefined, project?: string) {
  const requested = operation === undefined ? operationIds : parseOperations(operation);
  if (typeof requested === 'string') return reject('invalid', requested, 'query:operation');
  const { coverage } = parts;
  const isOfSome = project === undefined && !caller.isAdmin;
  return ok(reportCoverage(parts, isOfSome ? coverage.readSome(caller.mayUse) : coverage.read(project), requested));
}

export const coverageHandlers: ControlHandlers<'getCoverage' | 'getProjectCoverage'> = {
  getCoverage: (parts, { query, caller }) => answer(parts, caller, query.operation, query.project),
  getProjectCoverage: (parts, { params, query, caller }) => answer(parts, caller, query.operation, params.projectId),
};
