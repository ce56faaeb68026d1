/** Sentences with the numbers of a sweep, for every report. */
import { countQualities, countVerdicts, findBadCases } from '../../../sweep-report/matrix.ts';
import type { SweepCase, SweepReport } from '../../../sweep-report/report.ts';
import { isBad } from '../../../sweep-report/verdicts.ts';
import { count } from '../../output/text.ts';

/** What a report needs beside the JSON of the sweep. */
export interface ReportOptions {
  /** Ids of the bad cases that `--known` accepts. */
  readonly known?: ReadonlySet<string> | undefined;
  /** Why cases were not tried. */
  readonly endedBy?: 'signal' | 'budget' | undefined;
}

/** Formats the size of the sweep on one line. */
export function toScope({ baseline, cases }: SweepReport): string {
  const used = count(new Set(cases.map(({ operation }) => operation)).size, 'operation');
  const seconds = (baseline.durationMs / 1000).toFixed(1);
  return `${count(cases.length, 'case')} of ${used}; the baseline had ${count(baseline.requests, 'request')} in ${seconds} s`;
}

/** Returns whether a case, or the case that was run instead, is a known weakness. */
export function isKnown(one: SweepCase, { known }: ReportOptions): boolean {
  return known !== undefined && (known.has(one.case) || known.has(one.sameAs ?? ''));
}

/** Returns whether there is a bad case that is not known. */
export function hasNewBad(report: SweepReport, options: ReportOptions): boolean {
  return findBadCases(report).some((one) => !isKnown(one, options));
}

/** Formats the numbers of bad, good and neutral cases on one line. */
export function toTotals(report: SweepReport, options: ReportOptions): string {
  const { bad, good, neutral } = countQualities(report);
  const parts = countVerdicts(report)
    .filter(({ verdict }) => isBad(verdict))
    .map((one) => `${one.count} ${one.verdict}`);
  const knownBad = report.cases.filter((one) => isBad(one.verdict) && isKnown(one, options)).length;
  const details = [...parts, ...(knownBad > 0 ? [`${knownBad} of them known`] : [])];
  const badText = bad === 0 ? 'no bad case' : `${count(bad, 'bad case')} (${details.join(', ')})`;
  return [
    badText,
    `${good.toLocaleString('en')} good`,
    `${neutral.toLocaleString('en')} neutral`,
    `${report.notTried.toLocaleString('en')} not tried`,
  ].join(', ');
}

/** Explains the cases that were not run. */
export function toNotRun({ cases, notTried }: SweepReport, { endedBy }: ReportOptions): readonly string[] {
  const same = cases.filter(({ sameAs }) => sameAs !== undefined).length;
  return [
    ...(same > 0
      ? [`${count(same, 'case')} not run: judged by the run of another case, from which it cannot differ`]
      : []),
    ...(notTried > 0 ? [`${count(notTried, 'case')} not tried: ${endings[endedBy ?? 'other']}`] : []),
  ];
}

const endings = {
  signal: 'the sweep was stopped',
  budget: 'the budget was over',
  other: 'the sweep ended first',
} as const;

/** Returns the ids of the cases that cannot differ from this one. */
export function findSame({ cases }: SweepReport, one: SweepCase): readonly string[] {
  return cases.filter(({ sameAs }) => sameAs === one.case).map((same) => same.case);
}
