/** Formats the report as Markdown, for a pull request. */
import { withoutControls } from '../../../diagnostics/line-excerpt.ts';
import { type DifferenceGroup, groupDifferences, groupUnsettled, toOperations } from './group.ts';
import type { Summary } from './summary.ts';
import { toOthers, toPercent } from './terminal.ts';

/** First text of every such file, by which an older report is recognized. */
export const markdownBeginning = '# Calibration';

const maxRows = 50;

export function toMarkdown(summary: Summary): string {
  const { exchanges, mapped, unmapped, agreement, differences, broken, assumed, proposed, notes } = summary;
  const blocks = [
    markdownBeginning,
    `**${toPercent(agreement)}** of ${mapped.toLocaleString('en')} mapped exchanges have the same status and body shape${toOthers(differences)} (${exchanges.toLocaleString('en')} exchanges).`,
    ...(differences.length === 0 ? ['No differences.'] : [`With the proposals: ${toPercent(proposed.agreement)}.`]),
    ...notes.map(toCode),
    ...toSection(
      'Differences',
      ['count', 'operation', 'kind', 'sandbox', 'traffic', 'first', 'proposal'],
      groupDifferences(differences).map((group) => [...toCells(group), toCode(group.proposal ?? 'none')]),
    ),
    ...toSection(
      'Not settled by the proposals',
      ['count', 'operation', 'kind', 'sandbox', 'traffic', 'first'],
      groupUnsettled(summary).map(toCells),
    ),
    ...toSection(
      'Not mapped',
      ['count', 'request', 'reason', 'may be', 'first', 'option to complete'],
      unmapped.map((one) => [
        String(one.count),
        toCode(`${one.method} ${one.path}`),
        one.reason,
        one.candidates.join(', '),
        toCode(one.example),
        toCode(one.map ?? ''),
      ]),
    ),
    ...toSection(
      'Assumed to exist before the traffic',
      ['project', 'record'],
      assumed.map(({ project, collection, id }) => [toCode(project), toCode(`${collection}/${id}`)]),
    ),
    ...toSection(
      'Broken entries, skipped',
      ['entry', 'reason'],
      broken.map(({ file, index, reason }) => [toCode(`${file}#${index}`), toCode(reason)]),
    ),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** Formats a group of differences as cells of a row. */
function toCells(group: DifferenceGroup): readonly string[] {
  const { kind, expected, seen, example } = group.first;
  return [String(group.count), toOperations(group), kind, toCode(expected), toCode(seen), toCode(example)];
}

function toSection(title: string, head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  const toRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const shown = [toRow(head), toRow(head.map(() => '---')), ...rows.slice(0, maxRows).map(toRow)];
  const more = rows.length > maxRows ? [`${rows.length - maxRows} more rows are in the JSON report.`] : [];
  return [`## ${title}`, shown.join('\n'), ...more];
}

/** Formats a text of the traffic as a code span, in which Markdown and HTML have no meaning. */
function toCode(text: string): string {
  const shown = withoutControls(text).slice(0, 300).trim();
  if (shown === '') return '';
  const runs = shown.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(0, ...runs.map(({ length }) => length)) + 1);
  const space = runs.length > 0 ? ' ' : '';
  // Only a pipe ends a cell also inside a code span.
  return fence + space + shown.replace(/\\*\|/g, '\\|') + space + fence;
}
