/** What tests of coverage have in common: reading what was met out of a report. */
import type { CoverageReport } from '../../../src/coverage/report.ts';

/** A report as it comes. */
export type Report = CoverageReport;

/** All that was met, sorted: `OPERATION`, `OPERATION KIND` and `TYPE CONDITION`. */
export function toMet({ items, callbackItems }: Report): readonly string[] {
  const operations = items.flatMap(({ operation, met, failures }) => [
    ...(met ? [operation] : []),
    ...failures.filter((one) => one.met).map(({ kind }) => `${operation} ${kind}`),
  ]);
  const callbacks = callbackItems.flatMap(({ type, conditions }) =>
    conditions.filter((one) => one.met).map(({ kind }) => `${type} ${kind}`),
  );
  return [...operations, ...callbacks].sort();
}
