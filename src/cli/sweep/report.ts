/** Builds the report of a sweep, for every format, and its JUnit suites from the same rows. */

import { formatCount } from '../../lib/format.ts';
import { groupBy } from '../../lib/group-by.ts';
import { allCaseKinds } from '../../scenarios/cases.ts';
import { type SweptCommand, toProveCommand, toRepeatCommand } from '../../sweep-report/repeat-command.ts';
import {
  countQualities,
  countVerdicts,
  type SweepCase,
  type SweepReport,
  type VerdictCount,
} from '../../sweep-report/report.ts';
import { compareVerdicts, isBad, robustRules, rulesOf, verdicts } from '../../sweep-report/verdicts.ts';
import type { Check, Suite } from '../report/checks.ts';
import type { Group, Matrix, MatrixCell, Notes, Report, Row } from '../report/report.ts';

export const sweepTitle = 'Sweep';
export const sweepSuiteName = 'field-sandbox sweep';

/** What a report needs beside the JSON of the sweep. */
export interface ReportOptions extends SweptCommand {
  /** Options for the command that proves a fix: those of the sandbox. */
  readonly proveOptions?: string | undefined;
  /** Ids of the bad cases that `--known` accepts. */
  readonly known: ReadonlySet<string>;
  /** Why cases were not tried. */
  readonly endedBy?: 'signal' | 'budget' | undefined;
  /** The JSON file with all cases. */
  readonly file: string;
}

/** Builds the report: the cases by verdict, the worst first, each bad case once. */
export function toSweepReport(report: SweepReport, options: ReportOptions): Report {
  const { baseline, cases } = report;
  const fresh = cases.filter((one) => isBad(one.verdict) && !options.known.has(one.case));
  const operations = formatCount(new Set(cases.map(({ operation }) => operation)).size, 'operation');
  const seconds = (baseline.durationMs / 1000).toFixed(1);
  const { proveOptions, command, file } = options;
  const prove = toProveCommand(file, { command, options: proveOptions });
  return {
    title: sweepTitle,
    outcome: fresh.length > 0 ? 'bad' : options.endedBy === 'signal' ? 'neutral' : 'good',
    summary: toTotals(report, options),
    scope: `${formatCount(cases.length, 'case')} of ${operations}; the baseline had ${formatCount(baseline.requests, 'request')} in ${seconds} s`,
    blocks: [
      ...toMatrices(report),
      ...countVerdicts(report.cases).map((one) => toGroup(one, report, options)),
      ...toNotes(report, options),
    ],
    commands: fresh.length > 0 ? [{ label: 'prove a fix', text: prove }] : [],
  };
}

/** Formats the numbers of bad, good and neutral cases on one line. */
function toTotals(report: SweepReport, options: ReportOptions): string {
  const { bad, good, neutral } = countQualities(report.cases);
  const parts = countVerdicts(report.cases)
    .filter(({ verdict }) => isBad(verdict))
    .map((one) => `${one.count} ${one.verdict}`);
  const knownBad = report.cases.filter((one) => isBad(one.verdict) && options.known.has(one.case)).length;
  const details = [...parts, ...(knownBad > 0 ? [`${knownBad} of them known`] : [])];
  const badText = bad === 0 ? 'no bad case' : `${formatCount(bad, 'bad case')} (${details.join(', ')})`;
  return [badText, `${good} good`, `${neutral} neutral`, `${report.notTried} not tried`].join(', ');
}

function toGroup({ verdict, count: number }: VerdictCount, report: SweepReport, options: ReportOptions): Group {
  const { quality, symbol, meaning } = verdicts[verdict];
  const isShown = (one: SweepCase): boolean =>
    isBad(verdict) ? !options.known.has(one.case) : one.found !== undefined;
  const cases = report.cases.filter((one) => one.verdict === verdict && isShown(one));
  return {
    ...{ kind: 'group', outcome: quality, symbol, title: verdict, count: number, meaning },
    advice: toRules(cases),
    rows: mergeAlike(cases).map((alike) => toRow(alike, report, options)),
  };
}

function toRules(cases: readonly SweepCase[]): readonly string[] {
  const rules = [...new Set(cases.flatMap(rulesOf))].toSorted((one, other) => one - other);
  return rules.map((rule) => `robust-client.md, rule ${rule}: ${robustRules[rule]}`);
}

/** Groups cases of one operation with the same finding, so that a reader sees each finding once. */
function mergeAlike(cases: readonly SweepCase[]): readonly (readonly SweepCase[])[] {
  const toKey = (one: SweepCase): string => JSON.stringify([one.operation, one.found ?? one.detail, one.error]);
  return [...groupBy(cases, toKey).values()];
}

function toRow(alike: readonly SweepCase[], report: SweepReport, options: ReportOptions): Row {
  const first = alike[0] as SweepCase;
  const { operation } = first;
  const places = alike.map(({ case: id }) => id.slice(operation.length + 1)).join(', ');
  return {
    name: alike.length === 1 ? first.case : operation,
    text: first.found ?? first.detail,
    details: [...(alike.length === 1 ? [] : [places]), ...toLog(first, report)],
    command: toRepeatCommand(alike, options),
  };
}

/** Returns the file with the output of a case, or of the case that was run instead, and its first error. */
function toLog({ output, error, sameAs }: SweepCase, { cases }: SweepReport): readonly string[] {
  const file = output ?? cases.find((one) => one.case === sameAs)?.output;
  return file === undefined ? [] : [error === undefined ? file : `${file}: ${error}`];
}

/** Families of kinds, which the matrix separates. */
const families = [/^(refused|failed)/, /^status-/, /^callback-/, /./];

/** Returns the matrix of the failures, if there are several operations: the worst verdict of each kind. */
function toMatrices({ baseline, cases }: SweepReport): readonly Matrix[] {
  const columns = Object.keys(baseline.operations).filter((name) => cases.some(({ operation }) => operation === name));
  if (columns.length < 2) return [];
  const toCell = (operation: string, kind: string): MatrixCell | undefined => {
    const [worst] = cases
      .filter((one) => one.operation === operation && one.kind === kind)
      .toSorted((a, b) => compareVerdicts(a.verdict, b.verdict));
    if (!worst) return undefined;
    const { quality, symbol } = verdicts[worst.verdict];
    return { outcome: quality, symbol, title: `${operation}, ${kind}: ${worst.verdict}` };
  };
  const tried = new Set(cases.map(({ kind }) => kind));
  // In the order of the failure catalog.
  const kinds = [...new Set([...allCaseKinds, ...tried])].filter((kind) => tried.has(kind));
  const byFamily = groupBy(kinds, (kind) => String(families.findIndex((pattern) => pattern.test(kind))));
  const groups = [...byFamily.values()].map((names) =>
    names.map((name) => ({ name, cells: columns.map((operation) => toCell(operation, name)) })),
  );
  return [{ kind: 'matrix', title: 'Failures by operation', columns, groups }];
}

const endings = {
  signal: 'the sweep was stopped',
  budget: 'the budget was over',
  other: 'the sweep ended first',
} as const;

/** Returns the known weaknesses, and what was not run, with the reasons: `not tried` is what the totals count. */
function toNotes(report: SweepReport, options: ReportOptions): readonly Notes[] {
  const { cases, notTried, omitted = [] } = report;
  const known = cases.filter((one) => isBad(one.verdict) && options.known.has(one.case));
  const same = cases.filter(({ sameAs }) => sameAs !== undefined).length;
  const notes = [
    { title: 'known', lines: known.map((one) => `${one.case} (${one.verdict})`) },
    {
      title: 'same run',
      lines:
        same > 0
          ? [`${formatCount(same, 'case')} (judged by the run of another case, from which it cannot differ)`]
          : [],
    },
    { title: 'left out', lines: omitted.map(({ what, why }) => `${what} (${why})`) },
    {
      title: 'not tried',
      lines: notTried > 0 ? [`${formatCount(notTried, 'case')} (${endings[options.endedBy ?? 'other']})`] : [],
    },
    { title: 'all cases', lines: cases.some(({ verdict }) => isBad(verdict)) ? [options.file] : [] },
  ];
  return notes.filter(({ lines }) => lines.length > 0).map((one) => ({ kind: 'notes', ...one }));
}

/**
 * Returns a suite for each operation, with a case for each case of the sweep. Neutral and known ones are skipped, so that
 * CI shows why they say nothing.
 */
export function toSweepSuites(report: SweepReport, options: ReportOptions): readonly Suite[] {
  const operations = [...new Set(report.cases.map(({ operation }) => operation))];
  return operations.map((name) => ({
    name,
    checks: report.cases.filter(({ operation }) => operation === name).map((one) => toCheck(one, report, options)),
  }));
}

function toCheck(one: SweepCase, report: SweepReport, options: ReportOptions): Check {
  const { case: name, verdict, detail, durationMs, sameAs } = one;
  const named = { name, seconds: sameAs === undefined ? durationMs / 1000 : 0, text: `${verdict}: ${detail}` };
  if (verdicts[verdict].quality === 'good') return { ...named, outcome: 'passed' };
  if (!isBad(verdict)) return { ...named, outcome: 'skipped' };
  if (options.known.has(one.case)) return { ...named, outcome: 'skipped', reason: `known weakness; ${named.text}` };
  const { details, command = '' } = toRow([one], report, options);
  return { ...named, outcome: 'failed', reason: [named.text, ...details, ...toRules([one]), command].join('\n') };
}
