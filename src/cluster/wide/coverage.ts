/** Adds up the coverage reports of several servers. */
import {
  type ConditionCoverage,
  type CoverageReport,
  type FailureCoverage,
  withShares,
} from '../../coverage/report.ts';

/** Returns the sum of reports on the same operations. The first request of a failure is that of the first report with one. */
export function mergeCoverage(reports: readonly CoverageReport[]): CoverageReport {
  const [first, ...others] = reports;
  if (!first) throw new Error('there is no report to merge');
  return others.reduce(add, first);
}

function add(one: CoverageReport, other: CoverageReport): CoverageReport {
  const items = one.items.map((item, index) => {
    const added = other.items[index] ?? item;
    return {
      ...item,
      calls: item.calls + added.calls,
      succeeded: item.succeeded + added.succeeded,
      met: item.met || added.met,
      failures: item.failures.map((failure, place) => addFailure(failure, added.failures[place])),
    };
  });
  const callbackItems = one.callbackItems.map(({ type, conditions }, index) => {
    const added = other.callbackItems[index]?.conditions ?? [];
    return { type, conditions: conditions.map((condition, place) => addCondition(condition, added[place])) };
  });
  return withShares(items, callbackItems);
}

function addFailure<Failure extends FailureCoverage>(one: Failure, other: FailureCoverage | undefined): Failure {
  if (!other) return one;
  return { ...one, met: one.met || other.met, count: one.count + other.count, first: one.first ?? other.first };
}

function addCondition(one: ConditionCoverage, other: ConditionCoverage | undefined): ConditionCoverage {
  return other ? { ...addFailure(one, other), taken: one.taken + other.taken } : one;
}
