/** Converts a run to JUnit suites: one for each scenario, with a case for each rule and expectation. */
import type { Options } from '../../config/option-table.ts';
import { toTimestamp } from '../../lib/time.ts';
import type { Case, Suite } from '../output/junit.ts';
import { findCoverageFailure, type RunSummary, toRuleText } from './report.ts';
import type { ScenarioVerdict } from './verdict/verdict.ts';

/** Name of the whole report, and of the suite for the command, the coverage and the sandbox's bugs. */
export const runSuiteName = 'field-sandbox run';

/** Returns a suite for each scenario, and one for the command, the coverage and the sandbox's bugs. */
export function toRunSuites(run: RunSummary): readonly Suite[] {
  const cases = [toCommandCase(run), ...toCoverageCases(run), ...(run.bugs.length > 0 ? [toBugCase(run.bugs)] : [])];
  return [...run.verdict.scenarios.map(toScenarioSuite), { name: runSuiteName, cases }];
}

function toScenarioSuite({ name, rules, expectations }: ScenarioVerdict): Suite {
  const toOutcome = (outcome: string, why: string) =>
    outcome === 'failed' ? { failure: why } : outcome === 'skipped' ? { skipped: why } : {};
  return {
    name,
    cases: [
      ...rules.map((rule) => ({ name: `rule ${rule.name} fired`, ...toOutcome(rule.outcome, toRuleText(rule)) })),
      ...expectations.map(({ expected, outcome, why }) => ({ name: expected, ...toOutcome(outcome, why) })),
    ],
  };
}

function toCommandCase({ command, code, ms }: RunSummary): Case {
  return { name: command, seconds: ms / 1000, ...(code !== 0 && { failure: `the command exited with ${code}` }) };
}

function toCoverageCases(run: RunSummary): readonly Case[] {
  const minPercent = run.coverage?.minPercent;
  if (minPercent === undefined) return [];
  const failure = findCoverageFailure(run);
  return [{ name: `the coverage is at least ${minPercent} %`, ...(failure !== undefined && { failure }) }];
}

function toBugCase(bugs: readonly string[]): Case {
  return { name: 'the sandbox has no bug', failure: bugs.join('; ') };
}

/** Returns the options that affect the results of a run, without addresses and secrets. */
export function toProperties({
  seed,
  clock,
  strict,
  magicIds,
  scenarios,
  profile,
}: Options): Readonly<Record<string, string>> {
  return {
    seed,
    clock: toClockText(clock),
    strict: String(strict),
    magicIds: String(magicIds),
    ...(scenarios.length > 0 && { scenarios: scenarios.join(' ') }),
    ...(profile !== undefined && { profile }),
  };
}

/** Returns the files of the recordings as a property, if there are any. */
export function toRecordingProperty({ recordings = [] }: RunSummary): Readonly<Record<string, string>> {
  return recordings.length > 0 ? { recordings: recordings.join(' ') } : {};
}

/** Returns the clock as the value of `--clock`. */
export function toClockText({ mode, nowMs, rate }: Options['clock']): string {
  if (rate !== undefined) return `${rate}x`;
  return nowMs === undefined ? mode : toTimestamp(nowMs);
}
