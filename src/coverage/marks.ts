/** Stores coverage counts by name. The number of names is bounded, and so is the memory. */

/** The first request that a failure or condition occurred for. */
export interface FirstRequest {
  /** Null if the request reached no project. */
  readonly project: string | null;
  readonly request: string;
}

/** How often one failure or condition occurred. */
export interface CoverageMark {
  count: number;
  /** Number of these callbacks that were delivered; 0 for failures of operations. */
  taken: number;
  readonly first: FirstRequest;
}

/** Marks by failure kind or condition. */
export type Marks = Map<string, CoverageMark>;

/** Counts of one operation. */
export interface OperationMarks {
  calls: number;
  /** Number of calls with a 2xx response from the operation itself, not from a scenario. */
  succeeded: number;
  readonly met: Marks;
}

/** All counts of one project, or of all projects. */
export interface CoverageCounts {
  readonly operations: Map<string, OperationMarks>;
  /** By callback type. */
  readonly callbacks: Map<string, Marks>;
}

export function createCoverageCounts(): CoverageCounts {
  return { operations: new Map(), callbacks: new Map() };
}

/** Returns a map's value, and creates it if it does not exist. */
export function getOrCreate<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}

/** Returns the mark of a kind, and creates it if it does not exist. */
export function markOf(marks: Marks, kind: string, first: FirstRequest): CoverageMark {
  return getOrCreate(marks, kind, () => ({ count: 0, taken: 0, first }));
}

/** Returns the marks of an operation, and creates them if they do not exist. */
export function operationMarks({ operations }: CoverageCounts, operation: string): OperationMarks {
  return getOrCreate(operations, operation, () => ({ calls: 0, succeeded: 0, met: new Map() }));
}

export function sumCounts(all: readonly CoverageCounts[]): CoverageCounts {
  const sum = createCoverageCounts();
  for (const { operations, callbacks } of all) {
    for (const [operation, { calls, succeeded, met }] of operations) {
      const marks = operationMarks(sum, operation);
      marks.calls += calls;
      marks.succeeded += succeeded;
      addMarks(marks.met, met);
    }
    for (const [type, marks] of callbacks)
      addMarks(
        getOrCreate(sum.callbacks, type, () => new Map()),
        marks,
      );
  }
  return sum;
}

function addMarks(sum: Marks, marks: Marks): void {
  for (const [kind, { count, taken, first }] of marks) {
    const mark = markOf(sum, kind, first);
    mark.count += count;
    mark.taken += taken;
  }
}
