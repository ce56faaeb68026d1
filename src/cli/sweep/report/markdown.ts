/** Formats the report of a sweep as Markdown, for the summary of a CI job: totals, matrix, bad cases. */
import { countVerdicts, findBadCases, toMatrix } from '../../../sweep-report/matrix.ts';
import { type SweptCommand, toRepeatCommand } from '../../../sweep-report/repeat-command.ts';
import type { SweepCase, SweepReport } from '../../../sweep-report/report.ts';
import { type Verdict, verdicts } from '../../../sweep-report/verdicts.ts';
import { toCodeBlock, toLiteral, toRows } from '../../output/markdown.ts';
import { findSame, hasNewBad, isKnown, type ReportOptions, toNotRun, toScope, toTotals } from './counts.ts';

/** First text of every such file, by which an older report is recognized. */
export const sweepMarkdownBeginning = '# Sweep';

/** Maximum number of bad cases: GitHub shows one megabyte of a summary. */
const maxBadCases = 100;

/** Maximum length of all operations above the columns. Longer ones are numbered, so that no table is cut. */
const maxHeadLength = 70;

const marks = { bad: '❌', neutral: '⚠️', good: '✅' } as const;

/** Formats the report. The same report always results in the same text. */
export function toSweepMarkdown(report: SweepReport, options: SweptCommand & ReportOptions): string {
  const counts = countVerdicts(report);
  const verdictRows = counts.map(({ verdict, count }) => [
    toMark(verdict),
    verdict,
    String(count),
    verdicts[verdict].meaning,
  ]);
  const blocks = [
    sweepMarkdownBeginning,
    `${hasNewBad(report, options) ? '❌' : options.endedBy === 'signal' ? '⚠️' : '✅'} **${toTotals(report, options)}**`,
    `${toScope(report)}.`,
    ...toNotRun(report, options).map((line) => `${line}.`),
    ...(counts.length > 0 ? [toRows(['', 'verdict', 'cases', 'meaning'], verdictRows), ...toMatrixBlocks(report)] : []),
    ...toBadBlocks(report, options),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** Verdicts differ in their letter, not only in their mark; that of the most frequent one is left out. */
function toMark(verdict: Verdict): string {
  const { quality, symbol } = verdicts[verdict];
  return verdict === 'recovered' ? marks.good : `${marks[quality]} ${symbol}`;
}

function toMatrixBlocks(report: SweepReport): readonly string[] {
  const { operations, groups } = toMatrix(report);
  const isLong = operations.join('').length > maxHeadLength;
  const numbered = operations.map((operation, index) => `${index + 1}. ${toLiteral(operation)}`);
  const rows = groups.flatMap(({ rows: ofGroup }) =>
    ofGroup.map(({ kind, cells }) => [kind, ...cells.map((cell) => (cell ? toMark(cell.verdict) : ''))]),
  );
  return [
    '## Failures by operation',
    ...(isLong ? [numbered.join('\n')] : []),
    toRows(['failure', ...(isLong ? operations.map((_, index) => String(index + 1)) : operations)], rows),
  ];
}

function toBadBlocks(report: SweepReport, options: SweptCommand & ReportOptions): readonly string[] {
  const all = findBadCases(report);
  const news = all.filter((one) => !isKnown(one, options));
  const accepted = all.filter((one) => isKnown(one, options)).map((one) => `- ${toLiteral(one.case)}: ${one.verdict}`);
  const more = news.length - maxBadCases;
  return [
    ...(news.length > 0 ? ['## Bad cases, the worst first'] : []),
    ...news.slice(0, maxBadCases).map((one) => toCaseBlock(report, one, options)),
    ...(more > 0 ? [`${more.toLocaleString('en')} more bad cases are in the JSON report.`] : []),
    ...(accepted.length > 0 ? ['## Known weaknesses', accepted.slice(0, maxBadCases).join('\n')] : []),
  ];
}

function toCaseBlock(report: SweepReport, one: SweepCase, options: SweptCommand): string {
  const command = toRepeatCommand(one, options);
  const same = findSame(report, one);
  const sentence = `**${toLiteral(one.case)}** ${marks.bad} ${one.verdict}: ${toLiteral(one.detail)}`;
  const parts = [
    same.length > 0 ? `${sentence} The same: ${same.map(toLiteral).join(', ')}.` : sentence,
    ...(command === undefined ? [] : [toCodeBlock(command)]),
  ];
  return parts.join('\n\n');
}
