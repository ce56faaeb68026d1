/** Formats the totals of a run: requests, rejections, callbacks, and callbacks that were not delivered. */
import { formatCount } from '../../lib/format.ts';
import { cut } from '../output/text.ts';
import { compareTexts } from './scenarios.ts';
import type { Table, Totals } from './totals.ts';

/** Maximum numbers of lines. The report counts the omitted lines. */
const maxRows = 20;
const maxReasons = 10;

/** What to do if the receiver ended with the command, before its callbacks were sent. */
const lateFailureHint = [
  '  The receiver has to run until its callbacks are sent: in the test, freeze the clock and advance it, or wait until the',
  '  callbacks are `delivered`. Or set no endpoint: callbacks are then stored in the inbox.',
];

/** Returns the lines of the report about the totals. */
export function toTotalLines(totals: Totals): readonly string[] {
  const { requests, statuses, mistakes, callbacks, states, failures, hasLateFailure } = totals;
  return [
    formatCount(requests, 'request'),
    ...toTableLines(statuses),
    ...toReasonLines('rejected', mistakes, 'mistakes'),
    formatCount(callbacks, 'callback'),
    ...toTableLines(states),
    ...toReasonLines('not delivered', failures, 'reasons'),
    ...(hasLateFailure ? lateFailureHint : []),
  ];
}

/** Formats each reason on one line, the most frequent ones first. */
function toReasonLines(heading: string, table: Table, noun: string): readonly string[] {
  const rows = [...table].flatMap(([what, counts]) => [...counts].map(([why, number]) => ({ what, why, number })));
  const sorted = rows.toSorted(
    (a, b) => b.number - a.number || compareTexts(`${a.what} ${a.why}`, `${b.what} ${b.why}`),
  );
  const hidden = sorted.slice(maxReasons);
  return [
    ...(sorted.length > 0 ? [heading] : []),
    ...sorted.slice(0, maxReasons).map(({ what, why, number }) => cut(`  ${number} × ${what}: ${why}`)),
    ...(hidden.length > 0
      ? [`  and ${hidden.reduce((sum, { number }) => sum + number, 0)} more with other ${noun}`]
      : []),
  ];
}

function toTableLines(table: Table): readonly string[] {
  const rows = [...table].toSorted(([a, as], [b, bs]) => sum(bs) - sum(as) || compareTexts(a, b));
  const shown = rows.slice(0, maxRows).map(([name, counts]) => {
    const sorted = [...counts].toSorted(([a], [b]) => compareTexts(a, b));
    const parts = sorted.map(([column, number]) => `${column} × ${number}`);
    return cut(`  ${name}: ${parts.join(', ')}`);
  });
  return rows.length > maxRows ? [...shown, `  and ${rows.length - maxRows} more`] : shown;
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, number) => total + number, 0);
}
