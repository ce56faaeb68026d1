/** Counts which failures and callback conditions occur, for each project and for all projects together. */
import type { Callback } from '../callbacks/callback.ts';
import type { NewEntry } from '../journal/entry.ts';
import type { FailureKind, ObservedFailure } from '../scenarios/failure-kinds.ts';
import { createConditions, type ObservedCondition } from './conditions.ts';
import {
  type CoverageCounts,
  createCoverageCounts,
  type FirstRequest,
  getOrCreate,
  markOf,
  operationMarks,
  sumCounts,
} from './marks.ts';

/** The fields of a request that coverage uses. */
export type AnsweredRequest = Pick<NewEntry, 'id' | 'project' | 'operation' | 'status' | 'fault' | 'observedFailure'>;

export interface Coverage {
  /** Counts a request; call it once for each completed request. */
  request(entry: AnsweredRequest): void;
  /** Counts a callback; call it at every change of the callback. Each attempt counts once. */
  callback(project: string, callback: Callback): void;
  /** Deletes the counts of a project; the total of all projects still includes them. */
  forget(project: string): void;
  /** Returns the counts of a project since it was created or reset, or of all projects since the server started. */
  read(project?: string): CoverageCounts;
  /** Returns the sums of some projects since each was created or reset. */
  readSome(isIncluded: (project: string) => boolean): CoverageCounts;
}

/** Counts coverage. `kindsOf` lists the failure kinds of an operation, and is called at its first failure only. */
export function createCoverage(kindsOf: (operation: string) => readonly FailureKind[]): Coverage {
  const all = createCoverageCounts();
  const projects = new Map<string, CoverageCounts>();
  const kinds = new Map<string, readonly FailureKind[]>();
  const conditions = createConditions();

  /** Returns the counts to update together: those of the project, if any, and the total. */
  const countsOf = (project: string | undefined): readonly CoverageCounts[] =>
    project === undefined ? [all] : [getOrCreate(projects, project, createCoverageCounts), all];

  function count(
    targets: readonly CoverageCounts[],
    operation: string,
    observed: ObservedFailure,
    first: FirstRequest,
  ): void {
    for (const { kind, does } of getOrCreate(kinds, operation, () => kindsOf(operation))) {
      if (!does(observed)) continue;
      for (const target of targets) markOf(operationMarks(target, operation).met, kind, first).count += 1;
    }
  }

  return {
    request: ({ id, project, operation, status, fault, observedFailure = toPlainFailure(status) }) => {
      if (operation === undefined) return;
      const targets = countsOf(project);
      const isSuccess = status >= 200 && status <= 299 && !fault && !observedFailure?.respond;
      for (const target of targets) {
        const marks = operationMarks(target, operation);
        marks.calls += 1;
        if (isSuccess) marks.succeeded += 1;
      }
      if (observedFailure) count(targets, operation, observedFailure, { project: project ?? null, request: id });
    },
    callback: (project, callback) => {
      const targets = countsOf(project);
      const first = { project, request: callback.requestId };
      const report = (condition: ObservedCondition): void => {
        for (const target of targets) countCondition(target.callbacks, callback.type, condition, first);
      };
      const isNew = conditions.observe(project, callback, report);
      // A dropped callback is never sent, so the client does not learn of the failed entry. A triggered one has none.
      if (isNew && !callback.fault?.drop && !callback.triggered)
        count(targets, callback.operation, { fail: true }, first);
    },
    forget: (project) => {
      projects.delete(project);
      conditions.forget(project);
    },
    readSome: (isIncluded) => sumCounts([...projects].flatMap(([id, counts]) => (isIncluded(id) ? counts : []))),
    read: (project) => (project === undefined ? all : (projects.get(project) ?? createCoverageCounts())),
  };
}

function countCondition(
  callbacks: CoverageCounts['callbacks'],
  type: string,
  { kind, wasReported, delivered }: ObservedCondition,
  first: FirstRequest,
): void {
  const mark = markOf(
    getOrCreate(callbacks, type, () => new Map()),
    kind,
    first,
  );
  if (!wasReported) mark.count += 1;
  if (delivered) mark.taken += 1;
}

/** Returns the failure of an error response that no scenario rule caused, or undefined if the status is no error. */
function toPlainFailure(status: number): ObservedFailure | undefined {
  return status >= 400 ? { respond: { status } } : undefined;
}
