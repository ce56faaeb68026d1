/** Counts which failures and callback conditions occur, for each project and for all projects together. */
import type { Callback } from '../callbacks/callback.ts';
import type { NewEntry } from '../journal/entry.ts';
import type { FailureKind, ObservedFailure } from '../scenarios/failure-kinds.ts';
import { type CallbackChange, Conditions } from './conditions.ts';

/** The first request that a failure or condition occurred for. */
export interface FirstRequest {
  /** Null if the request reached no project. */
  readonly project: string | null;
  readonly request: string;
}

/** How often one failure or condition occurred. */
export interface CoverageMark {
  count: number;
  /** Of a condition: how many of these callbacks were delivered. Of calls: how many the operation itself accepted. */
  taken: number;
  /** Null if it is not known. */
  readonly first: FirstRequest | null;
}

/** By operation or type of callbacks, then by kind of failure or condition. The number of names is bounded. */
export type CoverageCounts = Map<string, Map<string, CoverageMark>>;

/** The kind under which the calls of an operation are counted. */
export const calls = 'calls';

/** Adds to the count of a kind. */
export function addMark(
  counts: CoverageCounts,
  name: string,
  kind: string,
  { count, taken, first }: Readonly<CoverageMark>,
): void {
  const marks = getOrCreate(counts, name, () => new Map<string, CoverageMark>());
  const mark = getOrCreate(marks, kind, () => ({ count: 0, taken: 0, first }));
  mark.count += count;
  mark.taken += taken;
}

/** Returns a map's value, and creates it if it does not exist. */
function getOrCreate<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}

/** The fields of a request that coverage uses. */
export type AnsweredRequest = Pick<NewEntry, 'id' | 'project' | 'operation' | 'status' | 'fault' | 'observedFailure'>;

export class Coverage {
  readonly #kindsOf: (operation: string) => readonly FailureKind[];
  readonly #all: CoverageCounts = new Map();
  readonly #projects = new Map<string, CoverageCounts>();
  readonly #kinds = new Map<string, readonly FailureKind[]>();
  readonly #conditions = new Conditions();

  /** `kindsOf` lists the failure kinds of an operation, and is called at its first failure only. */
  constructor(kindsOf: (operation: string) => readonly FailureKind[]) {
    this.#kindsOf = kindsOf;
  }

  /** Counts a request; call it once for each completed request. */
  request(request: AnsweredRequest): void {
    this.#request(request, this.#all);
  }

  /** Counts a request for its project only: it is in the total already, here or at another server. */
  restore(request: AnsweredRequest): void {
    this.#request(request, new Map());
  }

  #request({ id, project, operation, status, fault, observedFailure }: AnsweredRequest, total: CoverageCounts): void {
    if (operation === undefined) return;
    // An error that no scenario rule caused.
    const failure = observedFailure ?? (status >= 400 ? { respond: { status } } : undefined);
    const isSuccess = status >= 200 && status <= 299 && !fault && !failure?.respond;
    const first = { project: project ?? null, request: id };
    this.#add(operation, calls, { count: 1, taken: Number(isSuccess), first }, total);
    if (failure) this.#addFailure(operation, failure, first, total);
  }

  /** Counts a callback; call it at every change of the callback. One that is restored is in the total already. */
  callback(project: string, callback: Callback, change: CallbackChange): void {
    const total = change === 'restore' ? new Map() : this.#all;
    const first = { project, request: callback.requestId };
    const isNew = this.#conditions.observe(project, callback, change, (kind, wasReported, isDelivered) => {
      this.#add(callback.type, kind, { count: Number(!wasReported), taken: Number(isDelivered), first }, total);
    });
    // A dropped callback is never sent, so the client does not learn of the failed entry. A triggered one has none.
    if (isNew && !callback.fault?.drop && !callback.triggered)
      this.#addFailure(callback.operation, { fail: true }, first, total);
  }

  /** Deletes the counts of a project; the total of all projects still includes them. */
  forget(project: string): void {
    this.#projects.delete(project);
    this.#conditions.forget(project);
  }

  /** Returns the counts of a project since it was created or reset, or of all projects since the server started. */
  read(project?: string): CoverageCounts {
    return project === undefined ? this.#all : (this.#projects.get(project) ?? new Map());
  }

  /** Returns the sums of some projects since each was created or reset. */
  readSome(isIncluded: (project: string) => boolean): CoverageCounts {
    const sum: CoverageCounts = new Map();
    for (const [project, counts] of this.#projects) {
      if (!isIncluded(project)) continue;
      for (const [name, marks] of counts) for (const [kind, mark] of marks) addMark(sum, name, kind, mark);
    }
    return sum;
  }

  #addFailure(operation: string, failure: ObservedFailure, first: FirstRequest, total: CoverageCounts): void {
    const kinds = getOrCreate(this.#kinds, operation, () => this.#kindsOf(operation));
    for (const { kind, does } of kinds)
      if (does(failure)) this.#add(operation, kind, { count: 1, taken: 0, first }, total);
  }

  /** Adds to the counts of the project, if there is one, and to the total. */
  #add(name: string, kind: string, mark: CoverageMark & { readonly first: FirstRequest }, total: CoverageCounts): void {
    const { project } = mark.first;
    if (project !== null)
      addMark(
        getOrCreate(this.#projects, project, () => new Map()),
        name,
        kind,
        mark,
      );
    addMark(total, name, kind, mark);
  }
}
