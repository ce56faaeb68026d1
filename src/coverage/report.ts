/** Builds the coverage report: everything that a client can cover, what it has covered, and the percentage. */
import { type Condition, plainConditions } from './conditions.ts';
import { addMark, type CoverageCounts, type CoverageMark, calls, type FirstRequest } from './coverage.ts';

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
  const items = operations.map(({ operation, method, path, mode, failures }) => {
    const none = { calls: 0, succeeded: 0, met: false };
    return { operation, method, path, mode, ...none, failures: failures.map(toFailure) };
  });
  const callbackItems = callbacks.map(({ type, disturbances }) => ({
    type,
    conditions: [...plainConditions, ...disturbances].map((one) => ({ ...toFailure(one), taken: 0 })),
  }));
  return addCounts({ items, callbackItems }, counts);
}

/** Returns a failure that was not met. */
function toFailure({ kind, about, ...how }: Condition): FailureCoverage {
  return { kind, about, met: false, count: 0, first: null, ...how };
}

/** Adds counts to a report, except for operations, types and kinds that it does not have. */
export function addCounts(
  report: Pick<CoverageReport, 'items' | 'callbackItems'>,
  counts: CoverageCounts,
): CoverageReport {
  const items = report.items.map((item): OperationCoverage => {
    const marks = counts.get(item.operation);
    const called = marks?.get(calls);
    const succeeded = item.succeeded + (called?.taken ?? 0);
    return {
      ...item,
      calls: item.calls + (called?.count ?? 0),
      succeeded,
      met: succeeded > 0,
      failures: item.failures.map((one) => addTo(one, marks?.get(one.kind))),
    };
  });
  const callbackItems = report.callbackItems.map(({ type, conditions }): CallbackCoverage => {
    const marks = counts.get(type);
    const added = conditions.map((one) => {
      const mark = marks?.get(one.kind);
      return { ...addTo(one, mark), taken: one.taken + (mark?.taken ?? 0) };
    });
    return { type, conditions: added };
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

function addTo<Failure extends FailureCoverage>(failure: Failure, mark: CoverageMark | undefined): Failure {
  if (!mark) return failure;
  return { ...failure, met: true, count: failure.count + mark.count, first: failure.first ?? mark.first };
}

/** Adds up reports on the same operations. The first request of a failure is that of the first report with one. */
export function mergeCoverage([first, ...others]: readonly CoverageReport[]): CoverageReport {
  if (!first) throw new Error('there is no report to merge');
  return others.reduce((sum, other) => addCounts(sum, toCounts(other)), first);
}

/** Returns what a report counts. */
function toCounts({ items, callbackItems }: CoverageReport): CoverageCounts {
  const counts: CoverageCounts = new Map();
  for (const { operation, calls: count, succeeded, failures } of items) {
    addMark(counts, operation, calls, { count, taken: succeeded, first: null });
    for (const one of failures) if (one.met) addMark(counts, operation, one.kind, { ...one, taken: 0 });
  }
  for (const { type, conditions } of callbackItems)
    for (const one of conditions) if (one.met) addMark(counts, type, one.kind, one);
  return counts;
}

function toShare(all: readonly { readonly met: boolean }[]): Share {
  const met = all.filter((one) => one.met).length;
  const total = all.length;
  // Nothing is missing from an empty total.
  return { met, total, percent: total === 0 ? 100 : Math.floor((met * 1000) / total) / 10 };
}
