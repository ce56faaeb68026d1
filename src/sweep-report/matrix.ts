/** Arranges the cases of a sweep as a matrix of kinds and operations, and counts them. */
import { groupOf, type KindGroup, kindGroups, sortKinds } from './kinds.ts';
import type { SweepCase, SweepReport } from './report.ts';
import { compareVerdicts, type Quality, type Verdict, verdictNames, verdicts } from './verdicts.ts';

/** The cases of one kind and operation. */
export interface MatrixCell {
  readonly operation: string;
  readonly kind: string;
  /** The worst verdict of the cases. */
  readonly verdict: Verdict;
  /** At least one, the worst first. */
  readonly cases: readonly SweepCase[];
}

export interface MatrixRow {
  readonly kind: string;
  /** One for each operation of the matrix; undefined if there is no such case. */
  readonly cells: readonly (MatrixCell | undefined)[];
}

export interface Matrix {
  /** Operations with cases, in the order of the baseline. */
  readonly operations: readonly string[];
  /** Groups of kinds with cases, in the order of the failure catalog. */
  readonly groups: readonly { readonly name: KindGroup; readonly rows: readonly MatrixRow[] }[];
}

export function toMatrix({ baseline, cases }: SweepReport): Matrix {
  const withCases = new Set(cases.map(({ operation }) => operation));
  const operations = [...new Set([...Object.keys(baseline.operations), ...withCases])].filter((one) =>
    withCases.has(one),
  );
  const byCell = new Map<string, SweepCase[]>();
  for (const one of cases) {
    const name = toName(one.operation, one.kind);
    byCell.set(name, [...(byCell.get(name) ?? []), one]);
  }
  const toCell = (operation: string, kind: string): MatrixCell | undefined => {
    const ofCell = sortByVerdict(byCell.get(toName(operation, kind)) ?? []);
    const [worst] = ofCell;
    return worst && { operation, kind, verdict: worst.verdict, cases: ofCell };
  };
  const kinds = sortKinds(new Set(cases.map(({ kind }) => kind)));
  const groups = kindGroups.map((name) => {
    const ofGroup = kinds.filter((kind) => groupOf(kind) === name);
    return {
      name,
      rows: ofGroup.map((kind) => ({ kind, cells: operations.map((operation) => toCell(operation, kind)) })),
    };
  });
  return { operations, groups: groups.filter(({ rows }) => rows.length > 0) };
}

/** Returns a key for a cell: operations and kinds of a foreign file may contain any character. */
function toName(operation: string, kind: string): string {
  return JSON.stringify([operation, kind]);
}

/** Sorts cases, the worst first; equally bad cases keep their order. */
function sortByVerdict(cases: readonly SweepCase[]): readonly SweepCase[] {
  return cases.toSorted((a, b) => compareVerdicts(a.verdict, b.verdict));
}

/** The number of cases with a verdict. */
export interface VerdictCount {
  readonly verdict: Verdict;
  readonly count: number;
}

/** Counts the cases of each verdict that occurs, the worst first. Includes cases that were not run, by `sameAs`. */
export function countVerdicts({ cases }: Pick<SweepReport, 'cases'>): readonly VerdictCount[] {
  return verdictNames
    .map((verdict) => ({ verdict, count: cases.filter((one) => one.verdict === verdict).length }))
    .filter(({ count }) => count > 0);
}

/** Counts the cases by verdict, for the report. */
export function summarize(cases: readonly SweepCase[]): SweepReport['summary'] {
  return Object.fromEntries(countVerdicts({ cases }).map(({ verdict, count }) => [verdict, count]));
}

/** Counts the cases by how they count. */
export function countQualities(report: SweepReport): Readonly<Record<Quality, number>> {
  const counts = { bad: 0, neutral: 0, good: 0 };
  for (const { verdict, count } of countVerdicts(report)) counts[verdicts[verdict].quality] += count;
  return counts;
}
