/** Formats the report for a terminal. */
import { count, cut } from '../../output/text.ts';
import type { Difference } from '../compare/difference.ts';
import { type DifferenceGroup, groupDifferences, groupUnsettled, toOperations } from './group.ts';
import type { Summary } from './summary.ts';

type Unmapped = Summary['unmapped'][number];

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
    ...toBlock('Not mapped:', unmapped.map(toUnmappedLine)),
    ...toBlock(
      'To name their operations, use these options; complete those with OPERATION:',
      unmapped.flatMap(({ map }) => map ?? []),
    ),
    ...toBlock(
      'Assumed to exist before the traffic:',
      assumed.map(({ project, collection, id }) => `${collection}/${id} of project ${project}`),
    ),
    '',
    ...groups.slice(0, maxLines).flatMap(toLines),
    ...(groups.length > maxLines ? [`… ${groups.length - maxLines} more: see --json`, ''] : []),
    `agreement: ${toPercent(agreement)} of the mapped exchanges have the same status and body shape${toOthers(differences)}`,
    ...toProposed(summary),
  ];
  return `${lines.map((line) => (line === '' ? '' : cut(line))).join('\n')}\n`;
}

export function toPercent(share: number): string {
  return `${(Math.floor(share * 1000) / 10).toLocaleString('en')} %`;
}

/** The kinds of differences that agreement does not cover. */
const others = { header: 'headers', 'unknown field': 'unknown fields' } as const;

/** Names the differences that agreement does not cover. */
export function toOthers(differences: readonly Difference[]): string {
  const counted = Object.entries(others).flatMap(([kind, noun]) => {
    const number = differences.filter((one) => one.kind === kind).length;
    return number === 0 ? [] : [`${count(number, 'difference')} in ${noun}`];
  });
  return counted.map((text) => `, and ${text}`).join('');
}

function toBlock(title: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  const more = items.length > maxLines ? [`  … ${items.length - maxLines} more`] : [];
  return ['', title, ...items.slice(0, maxLines).map((item) => `  ${item}`), ...more];
}

function toUnmappedLine({ method, path, count: number, reason, candidates, example }: Unmapped): string {
  const operations = candidates.length > 1 ? ` (${candidates.join(', ')})` : '';
  return `${number.toLocaleString('en')} × ${method} ${path}: ${reason}${operations}; first: ${example}`;
}

function toLines(group: DifferenceGroup): readonly string[] {
  const { proposal, count: number, first } = group;
  const { kind, expected, seen, example } = first;
  return [
    `${number.toLocaleString('en')} × ${kind}, ${toOperations(group)}`,
    `  sandbox:  ${expected}`,
    `  traffic:  ${seen}`,
    `  first:    ${example}`,
    `  proposal: ${proposal ?? 'none'}`,
    '',
  ];
}

function toProposed(summary: Summary): readonly string[] {
  const { differences, proposed } = summary;
  if (differences.length === 0) return [];
  return [
    `with the proposals: ${toPercent(proposed.agreement)}`,
    ...toBlock(
      'Not settled by the proposals:',
      groupUnsettled(summary).map((group) => {
        const { kind, expected, seen } = group.first;
        const number = group.count.toLocaleString('en');
        return `${number} × ${kind}, ${toOperations(group)}: sandbox ${expected}; traffic ${seen}`;
      }),
    ),
  ];
}
