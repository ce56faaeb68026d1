/** The coverage report: all that there is to meet beside what was met, and how much of it that is. Pure. */
import { type Condition, plainConditions } from './conditions.ts';
import type { Counted, First, Mark } from './marks.ts';

/** How much of something was met; `percent` is rounded down to a tenth, so that 100 is all of it. */
export interface Share {
  readonly met: number;
  readonly total: number;
  readonly percent: number;
}

/** A kind of failure that an operation can be made to meet. */
export interface FailureCoverage extends Condition {
  readonly met: boolean;
  readonly count: number;
  /** The request that was the first to meet it. */
  readonly first: First | null;
}

export interface OperationCoverage {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly mode: 'sync' | 'async';
  readonly calls: number;
  readonly succeeded: number;
  /** Whether it was called with success. */
  readonly met: boolean;
  readonly failures: FailureCoverage[];
}

/** A condition under which a receiver gets callbacks, and how many of them it took. */
export interface ConditionCoverage extends FailureCoverage {
  readonly taken: number;
}

export interface CallbackCoverage {
  readonly type: string;
  readonly conditions: ConditionCoverage[];
}

/** What a client has met: of everything, of its parts, and thing by thing in the order of the catalogue. */
export interface CoverageReport extends Share {
  readonly operations: Share;
  readonly failures: Share;
  readonly callbacks: Share;
  readonly items: OperationCoverage[];
  readonly callbackItems: CallbackCoverage[];
}

/** All that there is to meet. */
export interface Meetable {
  readonly operations: readonly (Pick<OperationCoverage, 'operation' | 'method' | 'path' | 'mode'> & {
    readonly failures: readonly Condition[];
  })[];
  /** Types of callbacks, with what can disturb them. */
  readonly callbacks: readonly { readonly type: string; readonly disturbances: readonly Condition[] }[];
}

/** Everything that there is to meet counts alike. */
export function toCoverageReport({ operations, callbacks }: Meetable, counted: Counted): CoverageReport {
  const items = operations.map(({ operation, method, path, mode, failures }): OperationCoverage => {
    const { calls = 0, succeeded = 0, met } = counted.operations.get(operation) ?? {};
    return {
      operation,
      method,
      path,
      mode,
      calls,
      succeeded,
      met: succeeded > 0,
      failures: failures.map((one) => toFailure(one, met?.get(one.kind))),
    };
  });
  const callbackItems = callbacks.map(({ type, disturbances }): CallbackCoverage => {
    const marks = counted.callbacks.get(type);
    const conditions = [...plainConditions, ...disturbances].map((one) => {
      const mark = marks?.get(one.kind);
      return { ...toFailure(one, mark), taken: mark?.taken ?? 0 };
    });
    return { type, conditions };
  });
  const failures = items.flatMap((item) => item.failures);
  const conditions = callbackItems.flatMap((item) => item.conditions);
  return {
    ...toShare([...items, ...failures, ...conditions]),
    operations: toShare(items),
    failures: toShare(failures),
    callbacks: toShare(conditions),
    items,
    callbackItems,
  };
}

function toFailure({ kind, about, provoke }: Condition, mark: Mark | undefined): FailureCoverage {
  return { kind, about, met: mark !== undefined, count: mark?.count ?? 0, first: mark?.first ?? null, provoke };
}

function toShare(all: readonly { readonly met: boolean }[]): Share {
  const met = all.filter((one) => one.met).length;
  const total = all.length;
  // Where there is nothing to meet, nothing is missing.
  return { met, total, percent: total === 0 ? 100 : Math.floor((met * 1000) / total) / 10 };
}
