/** Counts what clients meet, in each project and in all, as requests are answered and callbacks sent. Knows no HTTP. */
import type { Callback } from '../callbacks/callback.ts';
import type { NewEntry } from '../journal/journal.ts';
import type { FailureKind, Met } from '../scenarios/failure-kinds.ts';
import { createConditions, type Seen } from './conditions.ts';
import { type Counted, callbackMarks, createCounted, type First, type Marks, markOf, operationMarks } from './marks.ts';

/** What of a request is looked at. */
export type Answered = Pick<NewEntry, 'id' | 'project' | 'operation' | 'status' | 'fault' | 'met'>;

export interface Coverage {
  /** To be told once of every request that was answered. */
  request(entry: Answered): void;
  /** To be told at every change of a callback: each of its attempts is counted once. */
  callback(project: string, callback: Callback): void;
  /** Lets go of what a project has met; in the count of all projects it stays. */
  forget(project: string): void;
  /** What was met in a project since it began, or in all since the server began. */
  read(project?: string): Counted;
}

/** `kindsOf`: what an operation can be made to meet; asked for once, when it fails first. */
export function createCoverage(kindsOf: (operation: string) => readonly FailureKind[]): Coverage {
  const all = createCounted();
  const projects = new Map<string, Counted>();
  const kinds = new Map<string, readonly FailureKind[]>();
  const conditions = createConditions();

  /** Those that are counted together: the project's, where there is one, and all. */
  function placesOf(project: string | undefined): readonly Counted[] {
    if (project === undefined) return [all];
    let own = projects.get(project);
    if (!own) {
      own = createCounted();
      projects.set(project, own);
    }
    return [own, all];
  }

  function knownKinds(operation: string): readonly FailureKind[] {
    const known = kinds.get(operation) ?? kindsOf(operation);
    kinds.set(operation, known);
    return known;
  }

  function count(places: readonly Counted[], operation: string, met: Met, first: First): void {
    for (const { kind, does } of knownKinds(operation)) {
      if (!does(met)) continue;
      for (const place of places) markOf(operationMarks(place, operation).met, kind, first).count += 1;
    }
  }

  return {
    request: ({ id, project, operation, status, fault, met = toRefusal(status) }) => {
      if (operation === undefined) return;
      const places = placesOf(project);
      const isSuccess = status >= 200 && status <= 299 && !fault && !met?.respond;
      for (const place of places) {
        const marks = operationMarks(place, operation);
        marks.calls += 1;
        if (isSuccess) marks.succeeded += 1;
      }
      if (met) count(places, operation, met, { project: project ?? null, request: id });
    },
    callback: (project, callback) => {
      const places = placesOf(project);
      const first = { project, request: callback.requestId };
      const note = (seen: Seen): void => {
        for (const place of places) noteCondition(callbackMarks(place, callback.type), seen, first);
      };
      const isNew = conditions.look(project, callback, note);
      // One that is lost tells nobody that the entry failed.
      if (isNew && !callback.disturbance?.drop) count(places, callback.operation, { fail: true }, first);
    },
    forget: (project) => {
      projects.delete(project);
      conditions.forget(project);
    },
    read: (project) => (project === undefined ? all : (projects.get(project) ?? createCounted())),
  };
}

function noteCondition(marks: Marks, { kind, isKnown, taken }: Seen, first: First): void {
  const mark = markOf(marks, kind, first);
  if (!isKnown) mark.count += 1;
  if (taken) mark.taken += 1;
}

/** A refusal that no rule of a scenario had a part in. */
function toRefusal(status: number): Met | undefined {
  return status >= 400 ? { respond: { status } } : undefined;
}
