/** Adds what a sweep has met to a coverage report. */
import type { SweepCase, SweepReport } from '../sweep-report/report.ts';
import type { ConditionCoverage, CoverageReport, FailureCoverage, OperationCoverage } from './report.ts';
import { withShares } from './report.ts';

/** Returns the type of the callbacks that report failures of an operation, or undefined if there are none. */
export type CallbackTypeOf = (operation: string) => string | undefined;

/**
 * Adds the baseline's operations, with their requests, its delivered callbacks, and each case that was reached: one
 * occurrence of its kind, for the operation or for the type of its callbacks. Ignores operations that the report does
 * not have.
 */
export function addSweep(
  { items, callbackItems }: CoverageReport,
  { baseline, cases }: SweepReport,
  callbackTypeOf: CallbackTypeOf,
): CoverageReport {
  const reached = cases.filter(({ verdict }) => verdict !== 'not-reached');
  const listed = new Set(items.map(({ operation }) => operation));
  return withShares(
    items.map((item) => {
      const calls = baseline.operations[item.operation] ?? 0;
      const ofOperation = reached.filter(({ operation }) => operation === item.operation);
      return addToOperation(item, calls, ofOperation);
    }),
    callbackItems.map(({ type, conditions }) => {
      const ofType = reached.filter(({ operation }) => listed.has(operation) && callbackTypeOf(operation) === type);
      const delivered = baseline.callbacks?.[type] ?? 0;
      return { type, conditions: conditions.map((one) => addToCondition(addDelivered(one, delivered), ofType)) };
    }),
  );
}

function addToOperation(item: OperationCoverage, calls: number, cases: readonly SweepCase[]): OperationCoverage {
  const { met, failures } = item;
  return {
    ...item,
    calls: item.calls + calls,
    succeeded: item.succeeded + calls,
    met: met || calls > 0,
    failures: failures.map((failure) => addToFailure(failure, cases)),
  };
}

function addToFailure<Failure extends FailureCoverage>(failure: Failure, cases: readonly SweepCase[]): Failure {
  const added = cases.filter(({ kind }) => kind === failure.kind).length;
  return added === 0 ? failure : { ...failure, met: true, count: failure.count + added };
}

function addDelivered(condition: ConditionCoverage, delivered: number): ConditionCoverage {
  if (condition.kind !== 'delivered' || delivered === 0) return condition;
  const { count, taken } = condition;
  return { ...condition, met: true, count: count + delivered, taken: taken + delivered };
}

function addToCondition(condition: ConditionCoverage, cases: readonly SweepCase[]): ConditionCoverage {
  const taken = cases.filter((one) => one.kind === condition.kind && wasTaken(one)).length;
  return addToFailure({ ...condition, taken: condition.taken + taken }, cases);
}

/** Returns whether the verdict shows that the receiver accepted the disturbed callback. */
function wasTaken({ verdict, expects }: SweepCase): boolean {
  return verdict === 'accepted-forgery' || (verdict === 'recovered' && expects === 'recovery');
}

/** Returns the reached cases whose kind of failure the report does not have for their operation. */
export function findUnlisted(
  { items, callbackItems }: CoverageReport,
  { cases }: SweepReport,
  callbackTypeOf: CallbackTypeOf,
): readonly SweepCase[] {
  return cases.filter(({ operation, kind, verdict }) => {
    const item = items.find((one) => one.operation === operation);
    const conditions = callbackItems.find(({ type }) => type === callbackTypeOf(operation))?.conditions ?? [];
    return item && verdict !== 'not-reached' && ![...item.failures, ...conditions].some((one) => one.kind === kind);
  });
}
