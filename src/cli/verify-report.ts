/** The report of a receiver's checks: for people as each ends, and as suites of JUnit. */
import type { CheckResult } from '../receiver-check/play-all.ts';
import type { Suite } from './junit.ts';
import { printable } from './log.ts';
import { count, type Paint, toLine } from './report.ts';

/** A report that grows by each result. */
export interface ReceiverReport {
  /** Keeps a result. @returns the lines to print of it */
  take(result: CheckResult): string;
  /** The last lines. */
  end(ms: number): string;
  readonly results: () => readonly CheckResult[];
  readonly isPassed: () => boolean;
}

export function createReceiverReport(url: string, paint: Paint): ReceiverReport {
  const results: CheckResult[] = [];
  const of = (outcome: CheckResult['outcome']) => results.filter((result) => result.outcome === outcome);

  function toHeading({ group, outcome }: CheckResult): readonly string[] {
    const isNew = results.at(-1)?.group !== group;
    return isNew && outcome !== 'left out' ? ['', paint('bold', group)] : [];
  }

  function toVerdict(ms: number): string {
    const took = `${printable(toShownUrl(url))}, ${(ms / 1000).toFixed(1)} s`;
    if (of('passed').length === results.length) {
      return `${paint('green', 'passed')}: ${count(results.length, 'check')} (${took})`;
    }
    const failed = of('failed').length;
    const fails = failed > 0 ? `${failed} of ${count(results.length, 'check')}` : 'not all was checked';
    return `${paint('red', 'failed')}: ${fails} (${took})`;
  }

  return {
    take: (result) => {
      const lines = [...toHeading(result), ...toLines(result, paint)];
      results.push(result);
      return lines.map((line) => `${line}\n`).join('');
    },
    end: (ms) => {
      const left = of('left out');
      const why = left[0] && toLine('left out', `${count(left.length, 'check')} left out: ${left[0].note}`, paint);
      return [...(why === undefined ? [] : ['', why]), '', toVerdict(ms), ''].join('\n');
    },
    results: () => results,
    isPassed: () => of('passed').length === results.length,
  };
}

/** What was left out is told of together, in the end. */
function toLines({ outcome, name, note, why, mend, ...result }: CheckResult, paint: Paint): readonly string[] {
  if (outcome === 'left out') return [];
  const line = toLine(outcome, `${name}: ${note}`, paint);
  if (outcome === 'passed') return [line];
  return [
    line,
    ...toEnd(result).map((end) => `      ${paint('bold', end)}`),
    `      why   ${why}`,
    `      mend  ${mend}`,
  ];
}

/** Why no other check could tell anything, and what to look at first. */
function toEnd({ ends, hint }: Pick<CheckResult, 'ends' | 'hint'>): readonly string[] {
  if (ends === undefined) return [];
  return [hint === undefined ? ends : `${ends}: ${hint}`];
}

/** A suite for each group. */
export function toSuites(results: readonly CheckResult[]): readonly Suite[] {
  const groups = [...new Set(results.map(({ group }) => group))];
  return groups.map((name) => ({
    name,
    cases: results.filter(({ group }) => group === name).map(toCase),
  }));
}

function toCase({ name, outcome, note, why, mend, ms, ...result }: CheckResult): Suite['cases'][number] {
  const failure = [note, ...toEnd(result), `why: ${why}`, `mend: ${mend}`].join('\n');
  return {
    name,
    seconds: ms / 1000,
    ...(outcome === 'failed' && { failure }),
    ...(outcome === 'left out' && { skipped: note }),
  };
}

/** An address without its query, in which there may be a token. */
export function toShownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
