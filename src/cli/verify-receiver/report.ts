/** The report of a receiver's checks: lines that are printed while they run, and JUnit suites. */
import { formatCount } from '../../lib/format.ts';
import { type Paint, toSeconds } from '../output/text.ts';
import { type Check, type Suite, toCheckLines } from '../report/checks.ts';
import { type CheckResult, toShownUrl } from './check-receiver.ts';

/** Formats a result, after a heading if it is the first of its group. The end counts the checks that did not run. */
export function toResultText(result: CheckResult, previous: CheckResult | undefined, paint: Paint): string {
  const { outcome, group, inapplicable } = result;
  if (outcome === 'skipped' && !inapplicable) return '';
  const heading = previous?.group === group ? [] : ['', paint('bold', group)];
  const details = outcome === 'failed' ? toDetails(result, paint) : [];
  return toText([...heading, ...toCheckLines({ outcome, text: `${result.name}: ${result.note}` }, paint, details)]);
}

function toDetails({ why, fix, ...result }: CheckResult, paint: Paint): readonly string[] {
  const stop = toStopLines(result).map((text) => paint('bold', text));
  // A receiver that rejects everything is not set up yet: the advice of one check would mislead.
  return result.hint === undefined ? [...stop, `why   ${why}`, `fix   ${fix}`] : stop;
}

/** Says why the remaining checks are skipped, with the hint. */
function toStopLines({ ends, hint }: Pick<CheckResult, 'ends' | 'hint'>): readonly string[] {
  if (ends === undefined) return [];
  return [hint === undefined ? ends : `${ends}: ${hint}`];
}

/** Formats the verdict. `ms`: duration of all checks. */
export function toEndText(results: readonly CheckResult[], url: string, ms: number, paint: Paint): string {
  const left = results.filter(({ outcome, inapplicable }) => outcome === 'skipped' && !inapplicable);
  const text = `${formatCount(left.length, 'check')} skipped: ${left[0]?.note}`;
  const skipped = left.length > 0 ? ['', ...toCheckLines({ outcome: 'skipped', text }, paint)] : [];
  return toText([...skipped, '', `${toVerdict(results, paint)} (${toShownUrl(url)}, ${toSeconds(ms)})`]);
}

function toVerdict(results: readonly CheckResult[], paint: Paint): string {
  const needless = results.filter(({ inapplicable }) => inapplicable).length;
  if (isPassed(results)) {
    const skipped = needless > 0 ? `, ${needless} skipped` : '';
    return `${paint('green', 'passed')}: ${formatCount(results.length - needless, 'check')}${skipped}`;
  }
  const failed = results.filter(({ outcome }) => outcome === 'failed').length;
  return `${paint('red', 'failed')}: ${failed > 0 ? `${failed} of ${formatCount(results.length, 'check')}` : 'not all checks ran'}`;
}

export function isPassed(results: readonly CheckResult[]): boolean {
  return results.every(({ outcome, inapplicable }) => outcome === 'passed' || inapplicable);
}

/** Returns a JUnit suite for each group. */
export function toSuites(results: readonly CheckResult[]): readonly Suite[] {
  const groups = [...new Set(results.map(({ group }) => group))];
  return groups.map((name) => ({ name, checks: results.filter(({ group }) => group === name).map(toCheck) }));
}

function toCheck({ name, outcome, note, why, fix, ms, ...result }: CheckResult): Check {
  const failure = [note, ...toStopLines(result), `why: ${why}`, `fix: ${fix}`].join('\n');
  return { name, outcome, text: note, ...(outcome === 'failed' && { reason: failure }), seconds: ms / 1000 };
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
