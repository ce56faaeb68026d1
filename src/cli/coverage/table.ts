/** Formats the coverage report as a table for a terminal. */
import type { CoverageReport } from '../../coverage/report.ts';
import { withoutControls } from '../../diagnostics/line-excerpt.ts';
import {
  isSent,
  nextOf,
  nextOfCallback,
  shareOf,
  toAlarms,
  toNotCalled,
  toNotSent,
  toPercent,
  toShare,
} from './texts.ts';

type Row = readonly [mark: string, name: string, calls: string, share: string, next: string];

/** Returns the table with a final newline. Lines longer than `width` characters are cut. */
export function toTable(report: CoverageReport, width: number): string {
  const called = report.items.filter(({ calls }) => calls > 0);
  const sent = report.callbackItems.filter(isSent);
  const operations = called.map((item): Row => {
    const { operation, met, calls, failures } = item;
    return [met ? '✓' : '–', operation, calls.toLocaleString('en'), shareOf(failures), nextOf(item)];
  });
  const callbacks = sent.map((item): Row => ['✓', item.type, '', shareOf(item.conditions), nextOfCallback(item)]);
  const lines = [
    ...toHead(report),
    ...toPart(['', 'operation', 'calls', 'failures', 'next step'], operations, toNotCalled(report)),
    ...toPart(['', 'callback', '', 'conditions', 'next step'], callbacks, toNotSent(report)),
    ...toPart(
      undefined,
      [],
      toAlarms(report).map((alarm) => `! ${alarm}`),
    ),
  ];
  return lines.map((line) => `${cut(line.trimEnd(), width)}\n`).join('');
}

function toPart(head: Row | undefined, rows: readonly Row[], more: readonly string[]): readonly string[] {
  const lines = [...(head && rows.length > 0 ? toLines([head, ...rows]) : []), ...more];
  return lines.length > 0 ? ['', ...lines] : [];
}

function toHead({ percent, met, total, operations, failures, callbacks }: CoverageReport): readonly string[] {
  const parts = [
    ['operations', operations],
    ['failures', failures],
    ['callback conditions', callbacks],
  ] as const;
  return [
    `coverage ${percent} %: ${toShare({ met, total })}`,
    ...parts.map(
      ([name, share]) => `  ${name.padEnd(24)}${toShare(share).padStart(12)}${toPercent(share).padStart(9)}`,
    ),
  ];
}

/** Pads the cells to columns. Numbers are aligned to the right. */
function toLines(rows: readonly Row[]): readonly string[] {
  const [marks, names, calls, shares] = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.map((row) => withoutControls(row[column] ?? '').length)),
  );
  return rows.map(([mark, name, count, share, next]) =>
    [
      withoutControls(mark).padEnd(marks ?? 0),
      withoutControls(name).padEnd(names ?? 0),
      ...(calls ? [count.padStart(calls)] : []),
      share.padStart(shares ?? 0),
      withoutControls(next),
    ]
      .join('  ')
      .replace(/^(.) {2}/, '$1 '),
  );
}

function cut(line: string, width: number): string {
  return line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line;
}
