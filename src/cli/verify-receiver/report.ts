/** The report of a receiver's checks: as text while they run, and as JUnit suites. */

import type { Suite } from '../output/junit.ts';
import { count, type Paint, toLine } from '../output/text.ts';
import type { CheckResult } from './check-receiver.ts';

export interface ReceiverReport {
  /** Adds a result. @returns the lines to print for it */
  add(result: CheckResult): string;
  /** Returns the last lines. `ms`: duration of all checks. */
  end(ms: number): string;
  readonly results: () => readonly CheckResult[];
  readonly isPassed: () => boolean;
}

export function createReceiverReport(url: string, paint: Paint): ReceiverReport {
  const results: CheckResult[] = [];
  const of = (outcome: CheckResult['outcome']) => results.filter((result) => result.outcome === outcome);

  function toHeading({ group, outcome, inapplicable }: CheckResult): readonly string[] {
    const isNew = results.at(-1)?.group !== group;
    return isNew && (outcome !== 'skipped' || inapplicable) ? ['', paint('bold', group)] : [];
  }

  const isPassed = (): boolean => results.every(({ outcome, inapplicable }) => outcome === 'passed' || inapplicable);

  function toVerdict(ms: number): string {
    const receiver = `${toShownUrl(url)}, ${(ms / 1000).toFixed(1)} s`;
    const needless = results.filter(({ inapplicable }) => inapplicable).length;
    if (isPassed()) {
      const skipped = needless > 0 ? `, ${needless} skipped` : '';
      return `${paint('green', 'passed')}: ${count(results.length - needless, 'check')}${skipped} (${receiver})`;
    }
    const failed = of('failed').length;
    const fails = failed > 0 ? `${failed} of ${count(results.length, 'check')}` : 'not all checks ran';
    return `${paint('red', 'failed')}: ${fails} (${receiver})`;
  }

  return {
    add: (result) => {
      const lines = [...toHeading(result), ...toLines(result, paint)];
      results.push(result);
      return lines.map((line) => `${line}\n`).join('');
    },
    end: (ms) => {
      const skipped = of('skipped').filter(({ inapplicable }) => !inapplicable);
      const why =
        skipped[0] && toLine('skipped', `${count(skipped.length, 'check')} skipped: ${skipped[0].note}`, paint);
      return [...(why === undefined ? [] : ['', why]), '', toVerdict(ms), ''].join('\n');
    },
    results: () => results,
    isPassed,
  };
}

/** Formats a result. Checks that did not run have no lines of their own; the last lines count them. */
function toLines({ outcome, name, note, why, fix, ...result }: CheckResult, paint: Paint): readonly string[] {
  if (outcome === 'skipped') return result.inapplicable ? [toLine(outcome, `${name}: ${note}`, paint)] : [];
  const line = toLine(outcome, `${name}: ${note}`, paint);
  if (outcome === 'passed') return [line];
  const stop = toStopLines(result).map((text) => `      ${paint('bold', text)}`);
  // A receiver that rejects everything is not set up yet: the advice of one check would mislead.
  return result.hint === undefined ? [line, ...stop, `      why   ${why}`, `      fix   ${fix}`] : [line, ...stop];
}

/** Says why the remaining checks are skipped, with the hint. */
function toStopLines({ ends, hint }: Pick<CheckResult, 'ends' | 'hint'>): readonly string[] {
  if (ends === undefined) return [];
  return [hint === undefined ? ends : `${ends}: ${hint}`];
}

/** Returns a JUnit suite for each group. */
export function toSuites(results: readonly CheckResult[]): readonly Suite[] {
  const groups = [...new Set(results.map(({ group }) => group))];
  return groups.map((name) => ({
    name,
    cases: results.filter(({ group }) => group === name).map(toCase),
  }));
}

function toCase({ name, outcome, note, why, fix, ms, ...result }: CheckResult): Suite['cases'][number] {
  const failure = [note, ...toStopLines(result), `why: ${why}`, `fix: ${fix}`].join('\n');
  return {
    name,
    seconds: ms / 1000,
    ...(outcome === 'failed' && { failure }),
    ...(outcome === 'skipped' && { skipped: note }),
  };
}

/** Returns an address without its query, which may contain a token. */
export function toShownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
