/** Formats the report of a sweep for a terminal: the verdicts, the matrix, the bad cases and the totals. */
import { withoutControls } from '../../../diagnostics/line-excerpt.ts';
import { countVerdicts, findBadCases, type MatrixCell, toMatrix } from '../../../sweep-report/matrix.ts';
import { type SweptCommand, toRepeatCommand } from '../../../sweep-report/repeat-command.ts';
import type { SweepCase, SweepReport } from '../../../sweep-report/report.ts';
import { type Verdict, verdicts } from '../../../sweep-report/verdicts.ts';
import { cut, type Paint } from '../../output/text.ts';
import { findSame, hasNewBad, isKnown, type ReportOptions, toNotRun, toScope, toTotals } from './counts.ts';

export interface TerminalOptions extends SweptCommand, ReportOptions {
  readonly paint: Paint;
  /** Maximum length of the lines of the matrix, in characters. */
  readonly width: number;
  /** The JSON file with all cases. */
  readonly file?: string | undefined;
}

/** Maximum number of bad kinds, and of ids in a line. The report counts the others. */
const maxBadKinds = 20;
const maxIds = 3;

const colours = { bad: 'red', neutral: 'yellow', good: 'green' } as const;

/** Returns the report with a final newline. */
export function toTerminalReport(report: SweepReport, options: TerminalOptions): string {
  const { paint, width } = options;
  const isStopped = options.endedBy === 'signal';
  const passed = isStopped ? paint('yellow', 'stopped') : paint('green', 'passed');
  const verdictLine = hasNewBad(report, options) ? paint('red', 'failed') : passed;
  const lines = [
    toScope(report),
    '',
    ...toLegend(report, width, paint),
    ...toMatrixLines(report, width, paint),
    ...toBadLines(report, options),
    '',
    ...toNotRun(report, options),
    `${verdictLine}: ${toTotals(report, options)}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Formats each verdict that occurs, with its number of cases and its meaning. */
function toLegend(report: SweepReport, width: number, paint: Paint): readonly string[] {
  const counts = countVerdicts(report);
  const columns = Math.max(0, ...counts.map(({ count }) => String(count).length));
  const names = Math.max(0, ...counts.map(({ verdict }) => verdict.length));
  return counts.map(({ verdict, count }) => {
    const line = `${verdict.padEnd(names)}  ${verdicts[verdict].meaning}`;
    const left = `${String(count).padStart(columns)} `;
    return `${left}${toSymbol(verdict, paint)} ${line.slice(0, Math.max(0, width - left.length - 2))}`;
  });
}

function toSymbol(verdict: Verdict, paint: Paint): string {
  const { quality, symbol } = verdicts[verdict];
  return paint(colours[quality], symbol);
}

/** Returns the matrix in as many blocks as the width requires. A line of their own leads operations to columns. */
function toMatrixLines(report: SweepReport, width: number, paint: Paint): readonly string[] {
  const { operations, groups } = toMatrix(report);
  const kinds = groups.flatMap(({ rows }) => rows.map(({ kind }) => withoutControls(kind).length));
  const left = Math.max(0, ...kinds) + 2;
  return toBlocks(operations, width - left).flatMap(([from, to]) => [
    '',
    ...operations
      .slice(from, to)
      .map((operation, at) => ' '.repeat(left) + paint('gray', '│ '.repeat(at)) + withoutControls(operation)),
    ...groups.flatMap(({ rows }, index) => [
      ...(index > 0 ? [''] : []),
      ...rows.map(({ kind, cells }) => {
        const symbols = cells.slice(from, to).map((cell) => toCellText(cell, paint));
        return `${withoutControls(kind).padEnd(left)}${symbols.join(' ')}`.trimEnd();
      }),
    ]),
  ]);
}

function toCellText(cell: MatrixCell | undefined, paint: Paint): string {
  return cell ? toSymbol(cell.verdict, paint) : ' ';
}

/** Splits the operations so that the name above each column, at two characters per column, fits into the width. */
function toBlocks(operations: readonly string[], width: number): readonly (readonly [from: number, to: number])[] {
  const blocks: [number, number][] = [];
  for (const [index, operation] of operations.entries()) {
    const last = blocks.at(-1);
    if (last && 2 * (index - last[0]) + operation.length <= width) last[1] = index + 1;
    else blocks.push([index, index + 1]);
  }
  return blocks;
}

/** Lists bad cases by kind: the first one of each kind and verdict, and the ids of the others. */
function toBadLines(report: SweepReport, options: TerminalOptions): readonly string[] {
  const { paint, file } = options;
  const all = findBadCases(report);
  const sorted = [...all.filter((one) => !isKnown(one, options)), ...all.filter((one) => isKnown(one, options))];
  if (sorted.length === 0) return [];
  const groups = new Map<string, SweepCase[]>();
  for (const one of sorted) {
    const key = `${isKnown(one, options)} ${one.verdict} ${one.kind}`;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(one);
  }
  const more = [...groups.values()].slice(maxBadKinds).flat().length;
  return [
    '',
    paint('bold', 'bad cases by kind, the worst first'),
    ...[...groups.values()]
      .slice(0, maxBadKinds)
      .flatMap(([first, ...others]) => (first ? toCaseLines(report, first, others, options) : [])),
    ...(more > 0 ? ['', `and ${more.toLocaleString('en')} more bad cases`] : []),
    ...(file === undefined ? [] : ['', `all cases: ${file}`]),
  ];
}

/** Formats a case: its id and verdict, the sentence about it, similar cases, and the command that repeats it. */
function toCaseLines(
  report: SweepReport,
  one: SweepCase,
  others: readonly SweepCase[],
  options: TerminalOptions,
): readonly string[] {
  const { paint } = options;
  const same = findSame(report, one);
  const command = toRepeatCommand(one, options);
  const mark = isKnown(one, options) ? ' (known)' : '';
  return [
    '',
    `${toSymbol(one.verdict, paint)} ${cut(one.case)}: ${paint('red', one.verdict)}${mark}`,
    `  ${cut(one.detail)}`,
    ...toList('the same', same),
    ...toList(
      'also',
      others.map((other) => other.case),
    ),
    ...(command === undefined ? [] : [`  ${paint('gray', withoutControls(command))}`]),
  ];
}

function toList(name: string, ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return [];
  const more = ids.length > maxIds ? `, and ${ids.length - maxIds} more` : '';
  return [cut(`  ${name}: ${ids.slice(0, maxIds).join(', ')}${more}`)];
}
