/** Formats the report for a terminal. */
import { count, cut } from '../../output/text.ts';
import { type DifferenceGroup, groupDifferences } from './group.ts';
import type { Summary } from './summary.ts';

/** Maximum number of lines of each list. */
const maxLines = 20;

export function toText(summary: Summary): string {
  const { exchanges, mapped, unmapped, agreement, differences, broken, assumed, notes } = summary;
  const groups = groupDifferences(differences);
  const lines = [
    `${count(exchanges, 'exchange')}, ${mapped.toLocaleString('en')} mapped to operations`,
    ...notes.map((note) => `note: ${note}`),
    ...toBlock(
      `${broken.length === 1 ? '1 broken entry' : `${broken.length.toLocaleString('en')} broken entries`}, skipped:`,
      broken.map(({ file, index, reason }) => `${file}#${index}: ${reason}`),
    ),
    ...toBlock(
      'Not mapped:',
      unmapped.map(
        ({ method, path, count: number, reason, candidates, example }) =>
          `${number.toLocaleString('en')} × ${method} ${path}: ${reason}${candidates.length > 1 ? ` (${candidates.join(', ')})` : ''}; first: ${example}`,
      ),
    ),
    ...toBlock(
      'Assumed to exist before the traffic:',
      assumed.map(({ project, collection, id }) => `${collection}/${id} of project ${project}`),
    ),
    '',
    ...groups.slice(0, maxLines).flatMap(toLines),
    ...(groups.length > maxLines ? [`… ${groups.length - maxLines} more: see --json`, ''] : []),
    `agreement: ${toPercent(agreement)} of the mapped exchanges have the same status and body shape`,
    ...toProposed(summary),
  ];
  return `${lines.map((line) => (line === '' ? '' : cut(line))).join('\n')}\n`;
}

export function toPercent(share: number): string {
  return `${(Math.floor(share * 1000) / 10).toLocaleString('en')} %`;
}

function toBlock(title: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  const more = items.length > maxLines ? [`  … ${items.length - maxLines} more`] : [];
  return ['', title, ...items.slice(0, maxLines).map((item) => `  ${item}`), ...more];
}

function toLines({ proposal, count: number, operations, first }: DifferenceGroup): readonly string[] {
  const { operation, kind, expected, seen, example } = first;
  const where = operation === '*' ? 'all operations' : operations > 1 ? count(operations, 'operation') : operation;
  return [
    `${number.toLocaleString('en')} × ${kind}, ${where}`,
    `  sandbox:  ${expected}`,
    `  traffic:  ${seen}`,
    `  first:    ${example}`,
    `  proposal: ${proposal ?? 'none'}`,
    '',
  ];
}

function toProposed({ differences, proposed: { agreement, inexpressible } }: Summary): readonly string[] {
  if (differences.length === 0) return [];
  return [
    `with the proposals: ${toPercent(agreement)}`,
    ...toBlock(
      'Not settled by the proposals:',
      inexpressible.map(
        ({ operation, kind, count: number, expected, seen }) =>
          `${number.toLocaleString('en')} × ${kind}, ${operation}: sandbox ${expected}; traffic ${seen}`,
      ),
    ),
  ];
}
