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

/** Returns the mark of a kind, and creates it if it does not exist. */
export function markOf(marks: Marks, kind: string, first: FirstRequest): CoverageMark {
  let mark = marks.get(kind);
  if (!mark) {
    mark = { count: 0, taken: 0, first };
    marks.set(kind, mark);
  }
  return mark;
}

/** Returns the marks of an operation, and creates them if they do not exist. */
export function operationMarks({ operations }: CoverageCounts, operation: string): OperationMarks {
  let marks = operations.get(operation);
  if (!marks) {
    marks = { calls: 0, succeeded: 0, met: new Map() };
    operations.set(operation, marks);
  }
  return marks;
}

/** Returns the marks of a callback type, and creates them if they do not exist. */
export function callbackMarks({ callbacks }: CoverageCounts, type: string): Marks {
  let marks = callbacks.get(type);
  if (!marks) {
    marks = new Map();
    callbacks.set(type, marks);
  }
  return marks;
}
