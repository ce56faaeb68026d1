/** Formats the report as Markdown, for a pull request. */
import { withoutControls } from '../../../diagnostics/line-excerpt.ts';
import { groupDifferences } from './group.ts';
import type { Summary } from './summary.ts';
import { toPercent } from './terminal.ts';

/** First text of every such file, by which an older report is recognized. */
export const markdownBeginning = '# Calibration';

const maxRows = 50;

export function toMarkdown(summary: Summary): string {
  const { exchanges, mapped, unmapped, agreement, differences, broken, assumed, proposed, notes } = summary;
  const blocks = [
    markdownBeginning,
    `**${toPercent(agreement)}** of ${mapped.toLocaleString('en')} mapped exchanges have the same status and body shape (${exchanges.toLocaleString('en')} exchanges).`,
    ...(differences.length === 0 ? ['No differences.'] : [`With the proposals: ${toPercent(proposed.agreement)}.`]),
    ...notes.map(escapeText),
    ...toSection(
      'Differences',
      ['count', 'operation', 'kind', 'sandbox', 'traffic', 'first', 'proposal'],
      groupDifferences(differences).map(({ count, operations, first, proposal }) => [
        String(count),
        operations > 1 ? `${operations} operations` : first.operation,
        first.kind,
        first.expected,
        first.seen,
        first.example,
        proposal ?? 'none',
      ]),
    ),
    ...toSection(
      'Not settled by the proposals',
      ['count', 'operation', 'kind', 'sandbox', 'traffic', 'first'],
      proposed.inexpressible.map((one) => [
        String(one.count),
        one.operation,
        one.kind,
        one.expected,
        one.seen,
        one.example,
      ]),
    ),
    ...toSection(
      'Not mapped',
      ['count', 'request', 'reason', 'may be', 'first'],
      unmapped.map((one) => [
        String(one.count),
        `${one.method} ${one.path}`,
        one.reason,
        one.candidates.join(', '),
        one.example,
      ]),
    ),
    ...toSection(
      'Assumed to exist before the traffic',
      ['project', 'record'],
      assumed.map(({ project, collection, id }) => [project, `${collection}/${id}`]),
    ),
    ...toSection(
      'Broken entries, skipped',
      ['entry', 'reason'],
      broken.map(({ file, index, reason }) => [`${file}#${index}`, reason]),
    ),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function toSection(title: string, head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  const toRow = (cells: readonly string[]): string => `| ${cells.map(escapeText).join(' | ')} |`;
  const shown = [toRow(head), toRow(head.map(() => '---')), ...rows.slice(0, maxRows).map(toRow)];
  const more = rows.length > maxRows ? [`${rows.length - maxRows} more rows are in the JSON report.`] : [];
  return [`## ${title}`, shown.join('\n'), ...more];
}

/** Escapes Markdown and HTML, because the texts come from the traffic. */
function escapeText(text: string): string {
  return withoutControls(text)
    .slice(0, 300)
    .replace(/[\\`*_[\]|~#]/g, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
}
