/** A row of the benchmark's table: a figure, its goal, whether that is met; as a line of Markdown. */
import { median } from '../rig/figures.ts';

/** What a figure is to be. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** How a figure is written; a ratio has no unit. */
export type Unit = 'ratio' | 'ms' | 's' | 'MB' | 'kB' | '%';

/** What a measurement came to. */
export interface Row {
  readonly what: string;
  /** One for each round; none where it could not be measured. */
  readonly values: readonly number[];
  readonly unit: Unit;
  readonly goal?: Goal | undefined;
  /** What the figure was made of, or why there is none. */
  readonly from: string;
}

const widths = [58, 8, 20, 8, 3, 0];
const digits: Readonly<Record<Unit, number>> = { ratio: 2, ms: 1, s: 2, MB: 1, kB: 1, '%': 1 };

/** The head of the table, two lines. */
export const head: string = `${toLine(['what', 'figure', 'rounds', 'goal', 'met', 'from'])}${toLine(Array.from(widths, () => '---'))}`;

/** The row as a line of the table. Its figure is the median of the rounds. */
export function toRowLine({ what, values, unit, goal, from }: Row): string {
  if (values.length === 0) return toLine([what, '–', '', toGoalText(goal, unit), goal ? '–' : '', from]);
  const figure = median(values);
  const range = values.length > 1 ? `${toText(Math.min(...values), unit)} to ${toText(Math.max(...values), unit)}` : '';
  return toLine([what, toText(figure, unit), range, toGoalText(goal, unit), toVerdict(figure, goal), from]);
}

function toVerdict(figure: number, goal: Goal | undefined): string {
  if (!goal) return '';
  const isMet = 'atLeast' in goal ? figure >= goal.atLeast : figure <= goal.atMost;
  return isMet ? 'yes' : 'NO';
}

function toGoalText(goal: Goal | undefined, unit: Unit): string {
  if (!goal) return '';
  return 'atLeast' in goal ? `≥ ${toPlain(goal.atLeast, unit)}` : `≤ ${toPlain(goal.atMost, unit)}`;
}

/** With as many digits as say something. */
function toText(value: number, unit: Unit): string {
  return `${value.toFixed(digits[unit])}${toSuffix(unit)}`;
}

function toPlain(value: number, unit: Unit): string {
  return `${value}${toSuffix(unit)}`;
}

function toSuffix(unit: Unit): string {
  return unit === 'ratio' ? '' : ` ${unit}`;
}

function toLine(cells: readonly string[]): string {
  const plain = cells.map((cell) => cell.replaceAll(/\s+/g, ' ').replaceAll('|', '/'));
  return `| ${plain.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |\n`;
}
