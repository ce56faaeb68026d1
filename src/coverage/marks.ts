/** What was met so far, by name and bounded by the names there are: how often, and by which request first. */

/** The request that was the first to meet something. */
export interface First {
  /** null where the request got into no project. */
  readonly project: string | null;
  readonly request: string;
}

/** One thing that was met. */
export interface Mark {
  count: number;
  /** How many of them a receiver took; 0 for what no receiver is asked about. */
  taken: number;
  readonly first: First;
}

/** Marks by the kind that was met. */
export type Marks = Map<string, Mark>;

/** What was met of one operation. */
export interface OperationMarks {
  calls: number;
  /** How many were answered 2xx by the operation itself. */
  succeeded: number;
  readonly met: Marks;
}

/** All that was met in one project, or in all. */
export interface Counted {
  readonly operations: Map<string, OperationMarks>;
  /** By the callback's type. */
  readonly callbacks: Map<string, Marks>;
}

export function createCounted(): Counted {
  return { operations: new Map(), callbacks: new Map() };
}

/** The mark of a kind, made where there is none yet. */
export function markOf(marks: Marks, kind: string, first: First): Mark {
  let mark = marks.get(kind);
  if (!mark) {
    mark = { count: 0, taken: 0, first };
    marks.set(kind, mark);
  }
  return mark;
}

/** The marks of an operation, made where there are none yet. */
export function operationMarks({ operations }: Counted, operation: string): OperationMarks {
  let marks = operations.get(operation);
  if (!marks) {
    marks = { calls: 0, succeeded: 0, met: new Map() };
    operations.set(operation, marks);
  }
  return marks;
}

/** The marks of a type of callback, made where there are none yet. */
export function callbackMarks({ callbacks }: Counted, type: string): Marks {
  let marks = callbacks.get(type);
  if (!marks) {
    marks = new Map();
    callbacks.set(type, marks);
  }
  return marks;
}
