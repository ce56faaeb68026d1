/** Formats a report for a terminal; the result and the next step come last. */
import { withoutControls } from '../../diagnostics/line-excerpt.ts';
import { cut, type Paint } from '../output/text.ts';
import type { Group, Matrix, MatrixCell, Outcome, Report } from './report.ts';

/** Maximum number of rows of a group. The report counts the others. */
const maxRows = 10;

const colours = { bad: 'red', neutral: 'yellow', good: 'green' } as const;
const words: Readonly<Record<Outcome, string>> = { bad: 'failed', neutral: 'stopped', good: 'passed' };

/** Returns the report with a final newline. `width`: maximum length of a line of a matrix, in characters. */
export function toTerminal(
  report: Report,
  { paint, width }: { readonly paint: Paint; readonly width: number },
): string {
  const { scope, blocks, outcome, summary, commands } = report;
  const groups = blocks.filter((block) => block.kind === 'group');
  const columns = Math.max(0, ...groups.map(({ count }) => String(count).length));
  const names = Math.max(0, ...groups.map(({ title }) => title.length));
  const lines = blocks.flatMap((block): readonly string[] => {
    if (block.kind === 'matrix') return [...toMatrixLines(block, width, paint), ''];
    if (block.kind === 'notes') return block.lines.map((line) => cut(`${block.title}: ${line}`));
    const head = `${String(block.count).padStart(columns)} ${toSymbol(block, paint)} ${block.title.padEnd(names)}`;
    return [`${head}  ${block.meaning}`, ...toGroupLines(block, paint)];
  });
  const ending = commands.map(({ label, text }) => `${label}: ${withoutControls(text)}`);
  const result = `${paint(colours[outcome], words[outcome])}: ${summary}`;
  return `${[scope, '', ...lines, result, ...ending].join('\n')}\n`;
}

function toGroupLines({ advice, rows }: Group, paint: Paint): readonly string[] {
  if (rows.length === 0) return [];
  const more = rows.length - maxRows;
  return [
    ...advice.map((line) => `  ${paint('gray', line)}`),
    ...rows.slice(0, maxRows).flatMap(({ name, text, details, command }) => [
      cut(`  ${name}: ${text}`),
      // Ids, files and commands must not be cut.
      ...details.map((line) => `    ${withoutControls(line)}`),
      ...(command === undefined ? [] : [`    ${paint('gray', withoutControls(command))}`]),
    ]),
    ...(more > 0 ? [`  and ${more.toLocaleString('en')} more`] : []),
    '',
  ];
}

function toSymbol({ outcome, symbol }: Pick<MatrixCell, 'outcome' | 'symbol'>, paint: Paint): string {
  return paint(colours[outcome], symbol);
}

/** Returns the matrix in as many blocks as the width requires. A line of their own leads names to columns. */
function toMatrixLines({ columns, groups }: Matrix, width: number, paint: Paint): readonly string[] {
  const left = Math.max(0, ...groups.flat().map(({ name }) => withoutControls(name).length)) + 2;
  return toBlocks(columns, width - left).flatMap(([from, to], block) => [
    ...(block > 0 ? [''] : []),
    ...columns
      .slice(from, to)
      .map((name, at) => ' '.repeat(left) + paint('gray', '│ '.repeat(at)) + withoutControls(name)),
    ...groups.flat().map(({ name, cells }) => {
      const symbols = cells.slice(from, to).map((cell) => (cell ? toSymbol(cell, paint) : ' '));
      return `${withoutControls(name).padEnd(left)}${symbols.join(' ')}`.trimEnd();
    }),
  ]);
}

/** Splits the columns so that the name above each, at two characters per column, fits into the width. */
function toBlocks(columns: readonly string[], width: number): readonly (readonly [from: number, to: number])[] {
  const blocks: [number, number][] = [];
  for (const [index, name] of columns.entries()) {
    const last = blocks.at(-1);
    if (last && 2 * (index - last[0]) + name.length <= width) last[1] = index + 1;
    else blocks.push([index, index + 1]);
  }
  return blocks;
}
