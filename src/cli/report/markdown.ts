/** Formats a report as Markdown, for the summary of a CI job; the result comes first. */
import { toCodeBlock, toLiteral, toRows } from '../output/markdown.ts';
import type { Group, Matrix, MatrixCell, Report } from './report.ts';

/** Maximum number of rows of a group: GitHub shows one megabyte of a summary. */
const maxRows = 100;

/** Maximum length of all names above the columns. Longer ones are numbered, so that no table is cut. */
const maxHeadLength = 70;

const marks = { bad: '❌', neutral: '⚠️', good: '✅' } as const;

/** Formats the report. The same report always results in the same text. */
export function toMarkdown({ title, outcome, summary, scope, blocks, commands }: Report): string {
  const groups = blocks.filter((block) => block.kind === 'group');
  const all = [
    `# ${title}`,
    `${marks[outcome]} **${toLiteral(summary)}**`,
    toLiteral(scope),
    ...(groups.length > 0 ? [toRows(['', 'verdict', 'cases', 'meaning'], groups.map(toGroupRow))] : []),
    ...blocks.flatMap((block): readonly string[] => {
      if (block.kind === 'matrix') return [`## ${block.title}`, ...toMatrixBlocks(block)];
      if (block.kind === 'notes') return [block.lines.map((line) => `- ${block.title}: ${toLiteral(line)}`).join('\n')];
      return toGroupBlocks(block);
    }),
    ...commands.flatMap(({ label, text }) => [`${label}:`, toCodeBlock(text)]),
  ];
  return `${all.join('\n\n')}\n`;
}

function toGroupRow({ title, count, meaning, ...group }: Group): readonly string[] {
  return [toMark(group), title, String(count), meaning];
}

/** Outcomes of one mark differ in their symbol. */
function toMark({ outcome, symbol }: Pick<MatrixCell, 'outcome' | 'symbol'>): string {
  return symbol === '✓' ? marks[outcome] : `${marks[outcome]} ${symbol}`;
}

function toMatrixBlocks({ columns, groups }: Matrix): readonly string[] {
  const isLong = columns.join('').length > maxHeadLength;
  const numbered = columns.map((name, index) => `${index + 1}. ${toLiteral(name)}`);
  const head = isLong ? columns.map((_, index) => String(index + 1)) : columns;
  const rows = groups.flat().map(({ name, cells }) => [name, ...cells.map((cell) => (cell ? toMark(cell) : ''))]);
  return [...(isLong ? [numbered.join('\n')] : []), toRows(['', ...head], rows)];
}

function toGroupBlocks({ title, advice, rows, outcome }: Group): readonly string[] {
  if (rows.length === 0) return [];
  const more = rows.length - maxRows;
  return [
    `## ${marks[outcome]} ${title}`,
    ...(advice.length > 0 ? [advice.map((line) => `- ${toLiteral(line)}`).join('\n')] : []),
    ...rows
      .slice(0, maxRows)
      .flatMap(({ name, text, details, command }) => [
        [`**${toLiteral(name)}**: ${toLiteral(text)}`, ...details.map(toLiteral)].join('\\\n'),
        ...(command === undefined ? [] : [toCodeBlock(command)]),
      ]),
    ...(more > 0 ? [`${more.toLocaleString('en')} more are in the JSON report.`] : []),
  ];
}
