/** The report of a run: its scenarios, totals and verdict, for a CI log and as JUnit suites. */
import type { CoverageReport } from '../../coverage/report.ts';
import { formatCount } from '../../lib/format.ts';
import { toAlarms, toSummary } from '../coverage/texts.ts';
import { cut, type Paint, toBugLine, toSeconds } from '../output/text.ts';
import { type Check, type Suite, toCheckLines } from '../report/checks.ts';
import type { Verdict } from './results.ts';
import type { RuleVerdict, ScenarioVerdict } from './scenarios.ts';
import { toTotalLines } from './totals.ts';

/** Results of a run. */
export interface RunSummary {
  /** The command on one line, without secrets. */
  readonly command: string;
  /** Exit code of the command. */
  readonly code: number;
  readonly ms: number;
  readonly verdict: Verdict;
  /** Messages of the sandbox's own bugs. */
  readonly bugs: readonly string[];
  /** The coverage report and its minimum in percent, if requested. */
  readonly coverage?: { readonly report: CoverageReport; readonly minPercent: number | undefined };
  /** Files of the recordings, if they were requested and written. */
  readonly recordings?: readonly string[];
}

/** Returns why the coverage fails the run, or undefined if it is high enough or has no minimum. */
function findCoverageFailure({ coverage }: RunSummary): string | undefined {
  if (coverage?.minPercent === undefined || coverage.report.percent >= coverage.minPercent) return undefined;
  return `coverage ${coverage.report.percent} % is below the minimum of ${coverage.minPercent} %`;
}

/** Returns the command's code if it is not 0, otherwise 1 if anything failed or the sandbox has a bug, otherwise 0. */
export function toExitCode(run: RunSummary): number {
  const all = [...run.verdict.scenarios.flatMap(toChecks), ...toOwnChecks(run)];
  return run.code || Number(all.some(({ outcome }) => outcome === 'failed'));
}

/** Name of the whole report, and of the suite for the command, the coverage and the sandbox's bugs. */
export const runSuiteName = 'field-sandbox run';

/** Returns a suite for each scenario, and one for the command, the coverage and the sandbox's bugs. */
export function toRunSuites(run: RunSummary): readonly Suite[] {
  const scenarios = run.verdict.scenarios.map((scenario) => ({ name: scenario.name, checks: toChecks(scenario) }));
  return [...scenarios, { name: runSuiteName, checks: toOwnChecks(run) }];
}

/** Returns a check for each rule and expectation of a scenario. */
function toChecks({ rules, expectations }: ScenarioVerdict): readonly Check[] {
  return [
    ...rules.map((rule) => ({ outcome: rule.outcome, name: `rule ${rule.name} fired`, text: toRuleText(rule) })),
    ...expectations,
  ];
}

function toOwnChecks(run: RunSummary): readonly Check[] {
  const { command, code, ms, coverage, bugs } = run;
  const toCheck = (name: string, failure: string | undefined): Check => {
    return { outcome: failure === undefined ? 'passed' : 'failed', name, text: failure ?? name };
  };
  const failure = code === 0 ? undefined : `the command exited with ${code}`;
  return [
    { ...toCheck(command, failure), seconds: ms / 1000 },
    ...(coverage?.minPercent === undefined
      ? []
      : [toCheck(`the coverage is at least ${coverage.minPercent} %`, findCoverageFailure(run))]),
    ...(bugs.length > 0 ? [toCheck('the sandbox has no bug', bugs.join('; '))] : []),
  ];
}

/** Maximum number of lines. The report counts the omitted lines. */
const maxScenarios = 20;
const maxRecordings = 20;

/** Returns the report with a final newline. */
export function toReport(run: RunSummary, paint: Paint): string {
  const { scenarios, totals, pending } = run.verdict;
  const serverScenarios = scenarios.filter(({ projects }) => projects === undefined);
  const projectScenarios = scenarios.filter(({ projects }) => projects !== undefined);
  const lines = [
    ...serverScenarios.flatMap((scenario) => toServerLines(scenario, paint)),
    ...toProjectLines(projectScenarios, paint),
    '',
    ...toTotalLines(totals),
    ...(pending > 0 ? [`commands and callback attempts still pending after a day: ${pending}`] : []),
    ...(run.coverage ? toCoverageLines(run.coverage.report) : []),
    ...(run.recordings ? toRecordingLines(run.recordings) : []),
    ...run.bugs.map((bug) => paint('red', cut(toBugLine(bug)))),
    '',
    toVerdictLine(run, paint),
  ];
  return `${lines.join('\n')}\n`;
}

function toServerLines(scenario: ScenarioVerdict, paint: Paint): readonly string[] {
  return ['', paint('bold', scenario.name), ...toChecks(scenario).flatMap((check) => toCheckLines(check, paint))];
}

/** Formats each scenario on one line, followed by its unmet expectations. */
function toProjectLines(scenarios: readonly ScenarioVerdict[], paint: Paint): readonly string[] {
  if (scenarios.length === 0) return [];
  const sorted = [...scenarios.filter(isUnmet), ...scenarios.filter((scenario) => !isUnmet(scenario))];
  const hidden = sorted.length - maxScenarios;
  return [
    '',
    paint('bold', 'active for single projects'),
    ...sorted.slice(0, maxScenarios).flatMap((scenario) => {
      const unmet = scenario.expectations.filter(({ outcome }) => outcome === 'failed');
      const outcome = unmet.length > 0 ? 'failed' : 'passed';
      return [
        ...toCheckLines({ outcome, text: toProjectText(scenario) }, paint),
        ...unmet.flatMap((check) => toCheckLines(check, paint)).map((line) => `  ${line}`),
      ];
    }),
    ...(hidden > 0
      ? [`  and ${hidden} more, ${sorted.slice(maxScenarios).filter(isUnmet).length} of them failed`]
      : []),
  ];
}

function isUnmet({ expectations }: ScenarioVerdict): boolean {
  return expectations.some(({ outcome }) => outcome === 'failed');
}

function toProjectText({ name, projects = [], rules, expectations }: ScenarioVerdict): string {
  const where = projects.length === 1 ? `project ${projects[0]}` : `${projects.length} projects`;
  const acted = rules.reduce((sum, rule) => sum + rule.acted, 0);
  const met = expectations.filter(({ outcome }) => outcome === 'passed').length;
  const judged = expectations.length === 0 ? '' : `, ${met} of ${formatCount(expectations.length, 'expectation')} met`;
  const unfired = rules.filter((rule) => rule.acted === 0).map((rule) => rule.name);
  const never = unfired.length === 0 ? '' : `; never fired: ${unfired.join(', ')}`;
  return `${name} in ${where}: rules fired ${times(acted)}${judged}${never}`;
}

/** Says how often a rule fired, or why it never fired. */
function toRuleText({ name, acted, chance, why }: RuleVerdict): string {
  if (why === undefined) return `${name}: fired ${times(acted)}`;
  return `${name}: never fired${chance === undefined ? '' : ` (chance ${chance})`}; ${why}`;
}

function toCoverageLines(report: CoverageReport): readonly string[] {
  return [toSummary(report), ...toAlarms(report).map((alarm) => `  ${alarm}`)].map(cut);
}

/** Returns the lines of the report about the recordings. */
export function toRecordingLines(files: readonly string[]): readonly string[] {
  const hidden = files.length - maxRecordings;
  return [
    formatCount(files.length, 'recording'),
    ...files.slice(0, maxRecordings).map((file) => cut(`  ${file}`)),
    ...(hidden > 0 ? [`  and ${hidden} more`] : []),
  ];
}

function toVerdictLine(run: RunSummary, paint: Paint): string {
  const { command, code, ms, verdict, bugs } = run;
  const rules = verdict.scenarios.flatMap((scenario) => scenario.rules);
  const expectations = verdict.scenarios.flatMap((scenario) => scenario.expectations);
  const coverageFailure = findCoverageFailure(run);
  const fails = [
    ...(code === 0 ? [] : [`the command exited with ${code}`]),
    ...toFailed(rules, 'rule', 'never fired'),
    ...toFailed(expectations, 'expectation', 'not met'),
    ...(coverageFailure === undefined ? [] : [coverageFailure]),
    ...(bugs.length === 0 ? [] : [`the sandbox has ${formatCount(bugs.length, 'bug')}`]),
  ];
  const summary = `${cut(command)}, ${toSeconds(ms)}`;
  return fails.length === 0
    ? `${paint('green', 'passed')}: ${summary}`
    : `${paint('red', 'failed')}: ${fails.join(', ')} (${summary})`;
}

function toFailed(all: readonly Pick<Check, 'outcome'>[], noun: string, how: string): readonly string[] {
  const failed = all.filter(({ outcome }) => outcome === 'failed').length;
  return failed === 0 ? [] : [`${formatCount(failed, noun)} ${how}`];
}

function times(number: number): string {
  return number === 1 ? 'once' : `${number.toLocaleString('en')} times`;
}
