/** Converts the report of a sweep to JUnit suites: one for each operation, with its cases. */
import { type SweptCommand, toRepeatCommand } from '../../../sweep-report/repeat-command.ts';
import type { SweepCase, SweepReport } from '../../../sweep-report/report.ts';
import { verdicts } from '../../../sweep-report/verdicts.ts';
import type { Case, Suite } from '../../output/junit.ts';
import { isKnown, type ReportOptions } from './counts.ts';

/** Name of the whole report. */
export const sweepSuiteName = 'field-sandbox sweep';

/**
 * Returns the suites. Bad cases fail, also those with `sameAs`. Neutral and known cases are skipped, so that CI
 * shows why they say nothing. Failures name the command that repeats them, if it is given.
 */
export function toSweepSuites(
  report: SweepReport,
  options: Partial<SweptCommand> & ReportOptions = {},
): readonly Suite[] {
  const operations = [...new Set(report.cases.map(({ operation }) => operation))];
  return operations.map((name) => ({
    name,
    cases: report.cases.filter(({ operation }) => operation === name).map((one) => toCase(one, options)),
  }));
}

function toCase(one: SweepCase, reporting: Partial<SweptCommand> & ReportOptions): Case {
  const { verdict, detail, durationMs, sameAs } = one;
  const { command, options } = reporting;
  const { quality } = verdicts[verdict];
  const named = { name: one.case, seconds: sameAs === undefined ? durationMs / 1000 : 0 };
  const text = `${verdict}: ${detail}`;
  if (quality === 'good') return named;
  if (quality === 'neutral') return { ...named, skipped: text };
  if (isKnown(one, reporting)) return { ...named, skipped: `known weakness; ${text}` };
  const same = sameAs === undefined ? '' : ` (not run: it cannot differ from ${sameAs})`;
  const repeat = command === undefined ? undefined : toRepeatCommand(one, { command, options });
  return { ...named, failure: `${text}${same}${repeat === undefined ? '' : `\n${repeat}`}` };
}
