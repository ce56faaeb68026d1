/** Builds the coverage report: everything that a client can cover, what it has covered, and the percentage. */
import { type Condition, plainConditions } from './conditions.ts';
import type { CoverageCounts, CoverageMark, FirstRequest } from './marks.ts';

/** The covered part of a total. `percent` is rounded down to one decimal place, so 100 means everything. */
export interface Share {
  readonly met: number;
  readonly total: number;
  readonly percent: number;
}

/** A failure kind of an operation, and whether it is covered. */
export interface FailureCoverage extends Condition {
  readonly met: boolean;
  readonly count: number;
  /** The first request that received the failure. */
  readonly first: FirstRequest | null;
}

export interface OperationCoverage {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly mode: 'sync' | 'async';
  readonly calls: number;
  readonly succeeded: number;
  /** Whether at least one call succeeded. */
  readonly met: boolean;
  readonly failures: FailureCoverage[];
}

/** A condition under which a receiver gets callbacks, and how many of these were delivered. */
export interface ConditionCoverage extends FailureCoverage {
  readonly taken: number;
}

export interface CallbackCoverage {
  readonly type: string;
  readonly conditions: ConditionCoverage[];
}

/** The coverage in total, by part, and item by item in the order of the catalog. */
export interface CoverageReport extends Share {
  readonly operations: Share;
  readonly failures: Share;
  readonly callbacks: Share;
  readonly items: OperationCoverage[];
  readonly callbackItems: CallbackCoverage[];
}

/** Everything that a client can cover. */
export interface CoverageCatalog {
  readonly operations: readonly (Pick<OperationCoverage, 'operation' | 'method' | 'path' | 'mode'> & {
    readonly failures: readonly Condition[];
  })[];
  /** Callback types, with their possible disturbances. */
  readonly callbacks: readonly { readonly type: string; readonly disturbances: readonly Condition[] }[];
}

/** Builds the report. Every operation, failure and condition has the same weight. */
export function toCoverageReport({ operations, callbacks }: CoverageCatalog, counts: CoverageCounts): CoverageReport {
  const items = operations.map(({ operation, method, path, mode, failures }): OperationCoverage => {
    const { calls = 0, succeeded = 0, met } = counts.operations.get(operation) ?? {};
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
    const marks = counts.callbacks.get(type);
    const conditions = [...plainConditions, ...disturbances].map((one) => {
      const mark = marks?.get(one.kind);
      return { ...toFailure(one, mark), taken: mark?.taken ?? 0 };
    });
    return { type, conditions };
  });
  return withShares(items, callbackItems);
}

/** Adds the shares to the items. */
export function withShares(items: OperationCoverage[], callbackItems: CallbackCoverage[]): CoverageReport {
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

function toFailure({ kind, about, ...how }: Condition, mark: CoverageMark | undefined): FailureCoverage {
  return { kind, about, met: mark !== undefined, count: mark?.count ?? 0, first: mark?.first ?? null, ...how };
}

function toShare(all: readonly { readonly met: boolean }[]): Share {
  const met = all.filter((one) => one.met).length;
  const total = all.length;
  // Nothing is missing from an empty total.
  return { met, total, percent: total === 0 ? 100 : Math.floor((met * 1000) / total) / 10 };
}
