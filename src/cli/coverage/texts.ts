/** Formats the coverage report: as a table for a terminal, and as Markdown. */
import type { CallbackCoverage, CoverageReport, OperationCoverage, Share } from '../../coverage/report.ts';
import { withoutControls } from '../../diagnostics/line-excerpt.ts';
import { formatCount } from '../../lib/format.ts';
import { toLiteral, toRows } from '../output/markdown.ts';

/** First text of every Markdown file, by which an older report is recognized. */
export const markdownBeginning = '# API coverage';

/** What is covered, with its name in the table, and in Markdown. */
const shares = [
  ['operations', 'operations', 'operations with a successful call'],
  ['failures', 'failures', 'failures of operations'],
  ['callbacks', 'callback conditions', 'callback conditions'],
] as const;

type Row = readonly [mark: string, name: string, calls: string, share: string, next: string];

/** Returns the table with a final newline. Lines longer than `width` characters are cut. */
export function toTable(report: CoverageReport, width: number): string {
  const { percent, items, callbackItems } = report;
  const called = items
    .filter(({ calls }) => calls > 0)
    .map((item): Row => {
      const mark = item.met ? '✓' : '–';
      return [mark, item.operation, item.calls.toLocaleString('en'), shareOf(item.failures), nextOf(item)];
    });
  const sent = callbackItems.filter(isSent).map(({ type, conditions }): Row => {
    return ['✓', type, '', shareOf(conditions), firstMissing(conditions)];
  });
  const parts = [
    [...toLines(['', 'operation', 'calls', 'failures', 'next step'], called), ...toNotCalled(report)],
    [...toLines(['', 'callback', '', 'conditions', 'next step'], sent), ...toNotSent(report)],
    toAlarms(report).map((alarm) => `! ${alarm}`),
  ];
  const lines = [
    `coverage ${percent} %: ${toShare(report)}`,
    ...shares.map(
      ([key, name]) => `  ${name.padEnd(24)}${toShare(report[key]).padStart(12)}${toPercent(report[key]).padStart(9)}`,
    ),
    ...parts.filter(({ length }) => length > 0).flatMap((part) => ['', ...part]),
  ].map((line) => line.trimEnd());
  return lines.map((line) => `${line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line}\n`).join('');
}

/** Pads the cells to columns. Numbers are aligned to the right. */
function toLines(head: Row, rows: readonly Row[]): readonly string[] {
  if (rows.length === 0) return [];
  const shown = [head, ...rows].map((row) => row.map(withoutControls));
  const widthOf = (column: number): number => Math.max(...shown.map((row) => row[column]?.length ?? 0));
  return shown.map(([mark = '', name = '', calls = '', share = '', next = '']) => {
    const numbers = [...(widthOf(2) > 0 ? [calls.padStart(widthOf(2))] : []), share.padStart(widthOf(3))];
    return `${mark.padEnd(1)} ${[name.padEnd(widthOf(1)), ...numbers, next].join('  ')}`;
  });
}

/** Formats the report as Markdown. The same report always results in the same text. */
export function toMarkdown(report: CoverageReport): string {
  const { percent, items, callbackItems } = report;
  const called = items.filter(({ calls }) => calls > 0);
  const blocks = [
    markdownBeginning,
    `**${percent} %**: ${toShare(report)} operations, failures and callback conditions are covered. Each has the same weight.`,
    ...toAlarms(report).map((alarm) => `⚠️ ${toLiteral(alarm)}.`),
    toRows(
      ['', 'covered', 'percent'],
      shares.map(([key, , name]) => [name, toShare(report[key]), toPercent(report[key])]),
    ),
    '## Operations',
    ...(called.length > 0
      ? [toRows(['', 'operation', 'calls', 'succeeded', 'failures covered', 'next step'], called.map(toOperationRow))]
      : []),
    ...toNotCalled(report).map((text) => `${toLiteral(text)}.`),
    ...(callbackItems.length > 0 ? ['## Callbacks', ...callbackItems.map(toConditions)] : []),
    ...(called.length > 0 ? ['## Missing failures of the called operations', ...called.flatMap(toMissing)] : []),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function toOperationRow(item: OperationCoverage): readonly string[] {
  const { operation, calls, succeeded, failures, met } = item;
  return [met ? '✅' : '⬜', operation, String(calls), String(succeeded), shareOf(failures), nextOf(item)];
}

function toConditions({ type, conditions }: CallbackCoverage): string {
  const rows = conditions.map(({ kind, about, met, count: number, taken, provoke }) => {
    return [met ? '✅' : '⬜', kind, about, met ? `${number}, ${taken} accepted` : '0', met ? '' : provoke];
  });
  return `### ${toLiteral(type)}: ${shareOf(conditions)}\n\n${toRows(['', 'condition', 'what the receiver gets', 'callbacks', 'how to provoke it'], rows)}`;
}

function toMissing({ operation, failures }: OperationCoverage): readonly string[] {
  const missing = failures.filter(({ met }) => !met);
  if (missing.length === 0) return [];
  const rows = missing.map(({ kind, about, provoke }) => [kind, about, provoke]);
  const summary = `${toLiteral(operation)}: ${missing.length} of ${failures.length} failures not covered`;
  const table = toRows(['failure', 'what the client gets', 'how to provoke it'], rows);
  return [`<details><summary>${summary}</summary>\n\n${table}\n\n</details>`];
}

/** Parses a percentage from 0 to 100, and adds the mistake in it. */
export function parsePercent(option: string, text: string | undefined, mistakes: string[]): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (value <= 100) return value;
  mistakes.push(`${option}: expected a percentage from 0 to 100, got ${JSON.stringify(text.slice(0, 64))}`);
  return undefined;
}

/** Formats the totals on one line. */
export function toSummary(report: CoverageReport): string {
  const parts = shares.map(([key, name]) => `${toShare(report[key])} ${name}`);
  return `coverage ${report.percent} %: ${parts.join(', ')}`;
}

function toShare({ met, total }: Pick<Share, 'met' | 'total'>): string {
  return `${met} of ${total.toLocaleString('en')}`;
}

/** Formats the percentage of a part, or `–` if it has nothing to cover. */
function toPercent({ total, percent }: Share): string {
  return total === 0 ? '–' : `${percent} %`;
}

/** Formats how many of the items were met, such as `2 of 5`. */
function shareOf(all: readonly { readonly met: boolean }[]): string {
  return toShare({ met: all.filter(({ met }) => met).length, total: all.length });
}

/** Returns the next step for an operation that was called. */
function nextOf({ met, failures }: OperationCoverage): string {
  return met ? firstMissing(failures) : 'call it successfully';
}

function firstMissing(all: OperationCoverage['failures']): string {
  const missing = all.find(({ met }) => !met);
  return missing ? `${missing.kind}: ${missing.provoke}` : '';
}

/** Names the operations that were not called, on one line. */
function toNotCalled({ items }: CoverageReport): readonly string[] {
  const names = items.filter(({ calls }) => calls === 0).map(({ operation }) => operation);
  return names.length === 0 ? [] : [`${formatCount(names.length, 'operation')} not called: ${names.join(', ')}`];
}

/** Names the callbacks that were not sent, on one line, and how to provoke them. */
function toNotSent({ callbackItems }: CoverageReport): readonly string[] {
  const missing = callbackItems.filter((item) => !isSent(item));
  const provoke = missing[0]?.conditions[0]?.provoke;
  const names = missing.map(({ type }) => type).join(', ');
  return provoke === undefined ? [] : [`${formatCount(missing.length, 'callback')} not sent; ${provoke}: ${names}`];
}

function isSent({ conditions }: CallbackCoverage): boolean {
  return conditions.some(({ met }) => met);
}

/** How the signature of an accepted callback was wrong, by the kind of its condition. */
const signatureFaults: Readonly<Record<string, string>> = {
  'callback-signature-missing': 'no signature',
  'callback-signature-stale': 'a signature that is one hour old',
  'callback-signature-invalid': 'an invalid signature',
};

/** Lists callbacks that the receiver accepted although their signature was missing, stale or wrong. */
export function toAlarms({ callbackItems }: CoverageReport): readonly string[] {
  return callbackItems.flatMap(({ type, conditions }) =>
    conditions
      .filter(({ kind, taken }) => kind in signatureFaults && taken > 0)
      .map(
        ({ kind, taken, count: number }) =>
          `the receiver accepted ${taken} of ${number} ${type} with ${signatureFaults[kind]}`,
      ),
  );
}
