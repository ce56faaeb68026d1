/** Formats the coverage report as Markdown: an overview, then the missing parts of each operation and callback. */
import type { CallbackCoverage, CoverageReport, FailureCoverage, OperationCoverage } from '../../coverage/report.ts';
import { toLiteral, toRows } from '../output/markdown.ts';
import { nextOf, shareOf, toAlarms, toNotCalled, toPercent, toShare } from './texts.ts';

/** First text of every such file, by which an older report is recognized. */
export const markdownBeginning = '# API coverage';

/** Formats the report. The same report always results in the same text. */
export function toMarkdown(report: CoverageReport): string {
  const { percent, met, total, items, callbackItems } = report;
  const called = items.filter(({ calls }) => calls > 0);
  const blocks = [
    markdownBeginning,
    `**${percent} %**: ${toShare({ met, total })} operations, failures and callback conditions are covered. Each has the same weight.`,
    ...toAlarms(report).map((alarm) => `⚠️ ${toLiteral(alarm)}.`),
    toTotals(report),
    '## Operations',
    called.length > 0
      ? toRows(['', 'operation', 'calls', 'succeeded', 'failures covered', 'next step'], called.map(toOperationRow))
      : '',
    ...toNotCalled(report).map(toSentence),
    ...(callbackItems.length > 0 ? ['## Callbacks', ...callbackItems.map(toConditions)] : []),
    ...(called.length > 0 ? ['## Missing failures of the called operations', ...called.map(toMissing)] : []),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function toSentence(text: string): string {
  return `${toLiteral(text)}.`;
}

function toTotals({ operations, failures, callbacks }: CoverageReport): string {
  const parts = [
    ['operations with a successful call', operations],
    ['failures of operations', failures],
    ['callback conditions', callbacks],
  ] as const;
  return toRows(
    ['', 'covered', 'percent'],
    parts.map(([name, share]) => [name, toShare(share), toPercent(share)]),
  );
}

function toOperationRow(item: OperationCoverage): readonly string[] {
  const { operation, calls, succeeded, failures, met } = item;
  return [met ? '✅' : '⬜', operation, String(calls), String(succeeded), shareOf(failures), nextOf(item)];
}

function toConditions({ type, conditions }: CallbackCoverage): string {
  const rows = conditions.map(({ kind, about, met, count, taken, provoke }) => {
    const countText = met ? `${count}, ${taken} accepted` : '0';
    return [met ? '✅' : '⬜', kind, about, countText, met ? '' : provoke];
  });
  return `### ${toLiteral(type)}: ${shareOf(conditions)}\n\n${toRows(['', 'condition', 'what the receiver gets', 'callbacks', 'how to provoke it'], rows)}`;
}

function toMissing({ operation, failures }: OperationCoverage): string {
  const missing = failures.filter(({ met }) => !met);
  if (missing.length === 0) return '';
  const rows = missing.map(({ kind, about, provoke }: FailureCoverage) => [kind, about, provoke]);
  const summary = `${toLiteral(operation)}: ${missing.length} of ${failures.length} failures not covered`;
  const table = toRows(['failure', 'what the client gets', 'how to provoke it'], rows);
  return `<details><summary>${summary}</summary>\n\n${table}\n\n</details>`;
}
