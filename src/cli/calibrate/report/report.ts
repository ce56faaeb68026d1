/** Formats the report for a terminal, and as Markdown for a pull request. */
import { toLiteral, toRows } from '../../output/markdown.ts';
import { count, cut } from '../../output/text.ts';
import type { Difference } from '../compare/difference.ts';
import { toExampleName } from '../exchange.ts';
import { type DifferenceGroup, groupDifferences, groupUnsettled, type Summary } from './summary.ts';

/** First text of each report in Markdown, by which an older report is recognized. */
export const markdownBeginning = '# Calibration';

/** Maximum number of lines of each list, and of rows of the table. */
const maxLines = 20;
const maxRows = 50;

interface List {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The lists that come before the differences. */
function toLists({ broken, unmapped, assumed }: Summary): readonly List[] {
  const entries = broken.length === 1 ? '1 broken entry' : `${broken.length.toLocaleString('en')} broken entries`;
  return [
    { title: `${entries}, skipped`, lines: broken.map((one) => `${toExampleName(one)}: ${one.reason}`) },
    { title: 'Not mapped', lines: unmapped.map(toUnmappedLine) },
    {
      title: 'To name their operations, use these options; complete those with OPERATION',
      lines: unmapped.flatMap(({ map }) => map ?? []),
    },
    {
      title: 'Assumed to exist before the traffic',
      lines: assumed.map(({ project, collection, id }) => `${collection}/${id} of project ${project}`),
    },
  ];
}

function toUnmappedLine({ method, path, count: number, reason, candidates, example }: Summary['unmapped'][number]) {
  const operations = candidates.length > 1 ? ` (${candidates.join(', ')})` : '';
  return `${number.toLocaleString('en')} × ${method} ${path}: ${reason}${operations}; first: ${example}`;
}

function toUnsettled(summary: Summary): List {
  const lines = groupUnsettled(summary).map(({ first: { kind, expected, seen }, count: number, operations }) => {
    return `${number.toLocaleString('en')} × ${kind}, ${operations}: sandbox ${expected}; traffic ${seen}`;
  });
  return { title: 'Not settled by the proposals', lines };
}

export function toText(summary: Summary): string {
  const { exchanges, mapped, differences, proposed, notes } = summary;
  const groups = groupDifferences(differences);
  const toBlock = ({ title, lines }: List): readonly string[] => {
    if (lines.length === 0) return [];
    const more = lines.length > maxLines ? [`  … ${lines.length - maxLines} more`] : [];
    return ['', `${title}:`, ...lines.slice(0, maxLines).map((line) => `  ${line}`), ...more];
  };
  const all = [
    `${count(exchanges, 'exchange')}, ${mapped.toLocaleString('en')} mapped to operations`,
    ...notes.map((note) => `note: ${note}`),
    ...toLists(summary).flatMap(toBlock),
    ...(mapped === 0 ? [] : ['']),
    ...groups.slice(0, maxLines).flatMap(toLines),
    ...(groups.length > maxLines ? [`… ${groups.length - maxLines} more: see --json`, ''] : []),
    ...(mapped === 0
      ? []
      : [`agreement: ${toPercent(summary.agreement)} of the mapped exchanges ${toAgreed(summary)}`]),
    ...(differences.length === 0 ? [] : [`with the proposals: ${toPercent(proposed.agreement)}`]),
    ...toBlock(toUnsettled(summary)),
  ];
  return `${all.map(cut).join('\n')}\n`;
}

function toLines({ first, count: number, operations }: DifferenceGroup): readonly string[] {
  return [
    `${number.toLocaleString('en')} × ${first.kind}, ${operations}`,
    `  sandbox:  ${first.expected}`,
    `  traffic:  ${first.seen}`,
    `  first:    ${first.example}`,
    `  proposal: ${first.proposal ?? 'none'}`,
    '',
  ];
}

function toPercent(share: number): string {
  return `${(Math.floor(share * 1000) / 10).toLocaleString('en')} %`;
}

/** Names what agreement means, and the differences that it does not cover. */
function toAgreed({ differences }: Summary): string {
  const toOther = (kind: Difference['kind'], noun: string): string => {
    const number = differences.filter((one) => one.kind === kind).length;
    return number === 0 ? '' : `, and ${count(number, 'difference')} in ${noun}`;
  };
  const others = toOther('header', 'headers') + toOther('unknown field', 'unknown fields');
  return `have the same status and body shape${others}`;
}

export function toMarkdown(summary: Summary): string {
  const { exchanges, mapped, differences, proposed, notes } = summary;
  const proposals =
    differences.length === 0 ? 'No differences' : `With the proposals: ${toPercent(proposed.agreement)}`;
  const rows = groupDifferences(differences).map(({ first, count: number, operations }) => {
    const { kind, expected, seen, example, proposal = 'none' } = first;
    return [String(number), operations, kind, cut(expected), cut(seen), example, cut(proposal)];
  });
  const toSection = ({ title, lines }: List): readonly string[] =>
    lines.length === 0 ? [] : [`## ${title}`, toBullets(lines)];
  const blocks = [
    markdownBeginning,
    `**${toPercent(summary.agreement)}** of ${mapped.toLocaleString('en')} mapped exchanges ${toAgreed(summary)} (${exchanges.toLocaleString('en')} exchanges).`,
    `${proposals}.`,
    ...(notes.length > 0 ? [toBullets(notes)] : []),
    ...(rows.length > 0 ? ['## Differences', toRows(columns, rows.slice(0, maxRows))] : []),
    ...(rows.length > maxRows ? [`${rows.length - maxRows} more rows are in the JSON report.`] : []),
    ...[toUnsettled(summary), ...toLists(summary)].flatMap(toSection),
  ];
  return `${blocks.join('\n\n')}\n`;
}

const columns = ['count', 'operation', 'kind', 'sandbox', 'traffic', 'first', 'proposal'];

function toBullets(lines: readonly string[]): string {
  const more = lines.length > maxRows ? [`- ${lines.length - maxRows} more are in the JSON report.`] : [];
  return [...lines.slice(0, maxRows).map((line) => `- ${toLiteral(cut(line))}`), ...more].join('\n');
}
