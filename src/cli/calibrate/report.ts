/** Builds the report of a calibration: its JSON, and the report that a terminal and Markdown show. */

import { formatCount } from '../../lib/format.ts';
import { groupBy } from '../../lib/group-by.ts';
import { cut } from '../output/text.ts';
import type { Group, Report, Row } from '../report/report.ts';
import type { Calibration } from './calibrate.ts';
import { type Finding, toFindingKey } from './compare.ts';
import { type BrokenEntry, toExampleName } from './exchange.ts';
import type { UnmappedGroup } from './map.ts';
import type { Proposal } from './propose.ts';

export const calibrationTitle = 'Calibration';

/** Equal findings with their number, and what settles them. */
export interface Difference extends Omit<Finding, 'setting'> {
  readonly count: number;
  /** The profile key or overlay action that settles it; undefined if nothing does. */
  readonly proposal?: string | undefined;
}

/** The content of a report; `--json` writes it. */
export interface Summary {
  readonly exchanges: number;
  readonly mapped: number;
  readonly unmapped: readonly UnmappedGroup[];
  /** Share of the mapped exchanges with the same status and body shape, from 0 to 1. */
  readonly agreement: number;
  readonly differences: readonly Difference[];
  readonly broken: readonly BrokenEntry[];
  readonly assumed: readonly { readonly project: string; readonly collection: string; readonly id: string }[];
  /** With all proposals. */
  readonly proposed: { readonly agreement: number; readonly inexpressible: readonly Difference[] };
  readonly notes: readonly string[];
}

export function toSummary(found: Calibration, exchanges: number, broken: readonly BrokenEntry[]): Summary {
  const { mapped, unmapped, unusedMaps, before, after, proposals } = found;
  const unknown = mapped.filter(({ exchange }) => exchange.response.isBodyUnknown).length;
  const unrecorded = `${unknown} of the mapped responses have no recorded body: only their status is compared`;
  const differences = countFindings(before.findings, createAttribution(found));
  const reported = new Set(differences.map(({ proposal }) => proposal));
  // A difference may show only under other proposals.
  const others = proposals.filter(({ text, change }) => !reported.has(text) && !isOfPaths(change));
  return {
    exchanges,
    mapped: mapped.length,
    unmapped,
    agreement: toShare(before.agreed, before.cases.length),
    differences,
    broken,
    assumed: after.assumed.map(({ project, collection, id }) => ({ project, collection, id })),
    proposed: {
      agreement: toShare(after.agreed, after.cases.length),
      inexpressible: countFindings(after.findings, () => undefined),
    },
    notes: [
      ...unusedMaps.map(({ text }) => `--map '${text}' matches no exchange`),
      ...(unknown > 0 ? [unrecorded] : []),
      ...others.map(({ text }) => `with the other proposals, this settles more: ${text}`),
    ],
  };
}

/** The path of an operation has a difference of its own, which names the first of these proposals. */
function isOfPaths(change: Proposal['change']): boolean {
  return 'keys' in change && ['basePath', 'method', 'path', 'identifiers'].includes(change.keys.at(-1) ?? '');
}

/** Rounds down to four digits, so that 1 means all. */
function toShare(part: number, all: number): number {
  return all === 0 ? 0 : Math.floor((part / all) * 10_000) / 10_000;
}

/** Returns the function that names what settles a finding; a finding that is left in the end has nothing. */
function createAttribution({ after, proposals, settled }: Calibration): (finding: Finding) => string | undefined {
  const left = new Set(after.findings.map(toFindingKey));
  return (finding) => {
    const key = toFindingKey(finding);
    if (proposals.length === 0 || left.has(key)) return undefined;
    const own = proposals.find(({ setting }) => setting === finding.setting)?.text;
    return settled.get(key) ?? own ?? 'all proposals together';
  };
}

/** Counts equal findings, most frequent first. */
function countFindings(
  findings: readonly Finding[],
  toProposal: (finding: Finding) => string | undefined,
): readonly Difference[] {
  const counted = [...groupBy(findings, toFindingKey).values()].map((group) => {
    const { setting: _, ...shown } = group[0] as Finding;
    return { ...shown, count: group.length, proposal: toProposal(group[0] as Finding) };
  });
  return counted.toSorted((a, b) => b.count - a.count);
}

export function toReport(summary: Summary): Report {
  const { exchanges, mapped, differences, proposed, notes, unmapped, broken, assumed } = summary;
  const agreement = `${toPercent(summary.agreement)} of the mapped exchanges have the same status and body shape`;
  const number = differences.length === 0 ? 'no difference' : formatCount(differences.length, 'difference');
  const withProposals = differences.length === 0 ? '' : `; with the proposals: ${toPercent(proposed.agreement)}`;
  const brokenRows = broken.map((one) => toRow(toExampleName(one), one.reason));
  const assumedRows = assumed.map((one) => toRow(`${one.collection}/${one.id}`, `in project ${one.project}`));
  const unmappedRows = unmapped.map(({ count: number, method, path, reason, example, map }) => ({
    ...toRow(`${number.toLocaleString('en')} × ${method} ${path}`, `${reason}; first in ${example}`),
    command: map,
  }));
  const groups = [
    toGroup('broken', 'entries that cannot be used', brokenRows),
    toGroup('not mapped', 'requests without an operation; name it by --map', unmappedRows),
    toGroup('assumed', 'records that must have existed before', assumedRows),
    toGroup('settled', 'differences that the proposals settle', toRows(differences.filter((one) => one.proposal))),
    toGroup('open', 'differences that no proposal settles', toRows(proposed.inexpressible)),
  ];
  return {
    title: calibrationTitle,
    outcome: differences.length > 0 || mapped === 0 ? 'bad' : 'good',
    summary: mapped === 0 ? 'no request maps to an operation' : `${number}; ${agreement}${withProposals}`,
    scope: `${formatCount(exchanges, 'exchange')}, ${mapped.toLocaleString('en')} mapped to operations`,
    blocks: [
      ...groups.filter(({ rows }) => rows.length > 0),
      ...(notes.length > 0 ? [{ kind: 'notes', title: 'note', lines: notes } as const] : []),
    ],
    commands: [],
  };
}

function toGroup(title: string, meaning: string, rows: readonly Row[]): Group {
  const outcome = title === 'open' ? 'bad' : 'neutral';
  const symbol = outcome === 'bad' ? '✗' : '·';
  return { kind: 'group', outcome, symbol, title, count: rows.length, meaning, advice: [], rows };
}

function toRow(name: string, text: string, details: readonly string[] = []): Row {
  return { name, text, details, command: undefined };
}

/** Returns a row for the differences that one proposal settles, or for equal ones of several operations. */
function toRows(differences: readonly Difference[]): readonly Row[] {
  const groups = groupBy(differences, (one) => one.proposal ?? JSON.stringify([one.kind, one.expected, one.seen]));
  const rows = [...groups.values()].map((group) => {
    const { kind, operation, expected, seen, example, proposal } = group[0] as Difference;
    const number = group.reduce((sum, one) => sum + one.count, 0);
    const { size } = new Set(group.map((one) => one.operation));
    const operations = size > 1 ? `${size} operations` : operation === '*' ? 'all operations' : operation;
    const details = [`sandbox:  ${expected}`, `traffic:  ${seen}`, ...(proposal ? [`proposal: ${proposal}`] : [])];
    const name = `${number.toLocaleString('en')} × ${kind}, ${operations}`;
    return { number, row: toRow(name, `first in ${example}`, details.map(cut)) };
  });
  return rows.toSorted((a, b) => b.number - a.number).map(({ row }) => row);
}

function toPercent(share: number): string {
  return `${(Math.floor(share * 1000) / 10).toLocaleString('en')} %`;
}
