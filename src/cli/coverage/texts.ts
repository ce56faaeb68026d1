/** Texts of the coverage reports: summaries, next steps and alarms about the receiver. */
import type {
  CallbackCoverage,
  ConditionCoverage,
  CoverageReport,
  OperationCoverage,
  Share,
} from '../../coverage/report.ts';
import { count } from '../output/text.ts';

/** Parses a percentage from 0 to 100. Returns undefined for any other text. */
export function parsePercent(text: string): number | undefined {
  const value = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  return value <= 100 ? value : undefined;
}

/** Returns the error message for an invalid percentage. */
export function percentMistake(text: string): string {
  return `expected a percentage from 0 to 100, got ${JSON.stringify(text.slice(0, 64))}`;
}

/** Formats the totals on one line. */
export function toSummary({ percent, operations, failures, callbacks }: CoverageReport): string {
  const parts = [
    `${toShare(operations)} operations`,
    `${toShare(failures)} failures`,
    `${toShare(callbacks)} callback conditions`,
  ];
  return `coverage ${percent} %: ${parts.join(', ')}`;
}

export function toShare({ met, total }: Pick<Share, 'met' | 'total'>): string {
  return `${met} of ${total.toLocaleString('en')}`;
}

/** Formats the percentage of a part, or `–` if it has nothing to cover. */
export function toPercent({ total, percent }: Share): string {
  return total === 0 ? '–' : `${percent} %`;
}

/** Formats how many of the items were met, such as `2 of 5`. */
export function shareOf(all: readonly { readonly met: boolean }[]): string {
  return toShare({ met: all.filter(({ met }) => met).length, total: all.length });
}

/** Returns the next step for an operation that was called. */
export function nextOf({ met, failures }: OperationCoverage): string {
  return met ? firstMissing(failures) : 'call it successfully';
}

export function nextOfCallback({ conditions }: CallbackCoverage): string {
  return firstMissing(conditions);
}

function firstMissing(all: readonly Pick<ConditionCoverage, 'kind' | 'met' | 'provoke'>[]): string {
  const missing = all.find(({ met }) => !met);
  return missing ? `${missing.kind}: ${missing.provoke}` : '';
}

/** Names the operations that were not called, on one line. */
export function toNotCalled({ items }: CoverageReport): readonly string[] {
  const names = items.filter(({ calls }) => calls === 0).map(({ operation }) => operation);
  return names.length === 0 ? [] : [`${count(names.length, 'operation')} not called: ${names.join(', ')}`];
}

/** Names the callbacks that were not sent, on one line, and how to provoke them. */
export function toNotSent({ callbackItems }: CoverageReport): readonly string[] {
  const missing = callbackItems.filter((item) => !isSent(item));
  const provoke = missing[0]?.conditions[0]?.provoke;
  const names = missing.map(({ type }) => type).join(', ');
  return provoke === undefined ? [] : [`${count(missing.length, 'callback')} not sent; ${provoke}: ${names}`];
}

export function isSent({ conditions }: CallbackCoverage): boolean {
  return conditions.some(({ met }) => met);
}

/** Lists callbacks that the receiver accepted although their signature was missing, stale or wrong. */
export function toAlarms({ callbackItems }: CoverageReport): readonly string[] {
  return callbackItems.flatMap(({ type, conditions }) =>
    conditions
      .filter(({ kind, taken }) => kind.startsWith('callback-signature-') && taken > 0)
      .map(({ kind, taken, count }) => `the receiver accepted ${taken} of ${count} ${type} with ${toFault(kind)}`),
  );
}

function toFault(kind: string): string {
  return (
    { missing: 'no signature', stale: 'a signature that is one hour old' }[kind.slice(19)] ?? 'an invalid signature'
  );
}
