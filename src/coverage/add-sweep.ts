/** Adds what a sweep has met to a coverage report. */
import { toCatalogKind } from '../scenarios/cases.ts';
import type { SweepCase, SweepReport } from '../sweep-report/report.ts';
import { addMark, type CoverageCounts, calls } from './coverage.ts';
import { addCounts, type CoverageReport } from './report.ts';

/** Returns the type of the callbacks that report failures of an operation, or undefined if there are none. */
export type CallbackTypeOf = (operation: string) => string | undefined;

/**
 * Adds the baseline's operations, with their requests, its delivered callbacks, and each case that was reached: one
 * occurrence of its kind, for the operation and for the type of its callbacks. Ignores operations that the report does
 * not have.
 */
export function addSweep(
  report: CoverageReport,
  { baseline, cases }: SweepReport,
  callbackTypeOf: CallbackTypeOf,
): CoverageReport {
  const counts: CoverageCounts = new Map();
  const add = (name: string, kind: string, count: number, taken: number): void => {
    if (count > 0) addMark(counts, name, kind, { count, taken, first: null });
  };
  for (const [operation, count] of Object.entries(baseline.operations)) add(operation, calls, count, count);
  for (const [type, count] of Object.entries(baseline.callbacks ?? {})) add(type, 'delivered', count, count);
  const listed = new Set(report.items.map(({ operation }) => operation));
  for (const one of cases) {
    if (one.verdict === 'not-reached' || !listed.has(one.operation)) continue;
    const kind = toCatalogKind(one.kind);
    add(one.operation, kind, 1, 0);
    add(callbackTypeOf(one.operation) ?? '', kind, 1, Number(wasTaken(one)));
  }
  return addCounts(report, counts);
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
  return cases.filter(({ operation, kind: of, verdict }) => {
    const kind = toCatalogKind(of);
    const item = items.find((one) => one.operation === operation);
    const conditions = callbackItems.find(({ type }) => type === callbackTypeOf(operation))?.conditions ?? [];
    return item && verdict !== 'not-reached' && ![...item.failures, ...conditions].some((one) => one.kind === kind);
  });
}
