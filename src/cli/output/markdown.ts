/** Formats texts from elsewhere as Markdown, so that nothing in them is markup. */
import { withoutControls } from '../../diagnostics/line-excerpt.ts';

/** Escapes Markdown and HTML. */
export function toLiteral(text: string): string {
  return withoutControls(text)
    .replace(/[\\`*_[\]|~#]/g, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
}

/** Formats a table of texts. */
export function toRows(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const toRow = (cells: readonly string[]): string => `| ${cells.map(toLiteral).join(' | ')} |`;
  return [toRow(head), toRow(head.map(() => '---')), ...rows.map(toRow)].join('\n');
}

/** Formats a command as a block of code, whose fence is longer than any run of backticks in it. */
export function toCodeBlock(command: string): string {
  const runs = command.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
  return `${fence}sh\n${withoutControls(command)}\n${fence}`;
}
