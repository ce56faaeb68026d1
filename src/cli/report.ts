/** The report of a run, for whoever reads it in a CI log: what each scenario came to, what there was in all, the verdict. */
import type { CoverageReport } from '../coverage/report.ts';
import { inOrder } from '../verdict/in-order.ts';
import type { Table, Totals } from '../verdict/totals.ts';
import {
  type ExpectationVerdict,
  isPassed,
  type Outcome,
  type RuleVerdict,
  type ScenarioVerdict,
  type Verdict,
} from '../verdict/verdict.ts';
import { toAlarms, toSummary } from './coverage-words.ts';
import { printable } from './log.ts';

/** All that a run came to. */
export interface Run {
  /** The command as it may be shown. */
  readonly command: string;
  readonly code: number;
  readonly ms: number;
  readonly verdict: Verdict;
  /** Bugs of ours, in words. */
  readonly bugs: readonly string[];
  /** What the client has met, where that was asked for, and how many percent it is to be at least. */
  readonly coverage?: { readonly report: CoverageReport; readonly least: number | undefined };
}

/** Whether less was met than wanted. */
function isTooLittle({ coverage }: Run): boolean {
  return coverage?.least !== undefined && coverage.report.percent < coverage.least;
}

/** The command's code where it is not 0, else 1 where anything was not as expected, or the sandbox failed itself. */
export function toExitCode(run: Run): number {
  const { code, verdict, bugs } = run;
  if (code !== 0) return code;
  return isPassed(verdict) && bugs.length === 0 && !isTooLittle(run) ? 0 : 1;
}

/** Gives a text a colour, or leaves it where none is wanted. */
export type Paint = (colour: 'green' | 'red' | 'gray' | 'bold', text: string) => string;

const marks = { passed: '✓', failed: '✗', 'left out': '–' } as const;
const colours = { passed: 'green', failed: 'red', 'left out': 'gray' } as const;

/** What does not fit in so many lines is counted. */
const mostScenarios = 20;
const mostMistakes = 10;
const longestLine = 300;

/** The report as lines, the last with its end. */
export function toReport(run: Run, paint: Paint): string {
  const { scenarios, totals, pending } = run.verdict;
  const common = scenarios.filter(({ projects }) => projects === undefined);
  const own = scenarios.filter(({ projects }) => projects !== undefined);
  const lines = [
    ...common.flatMap((scenario) => toCommonLines(scenario, paint)),
    ...toOwnLines(own, paint),
    '',
    ...toTotalLines(totals),
    ...(pending > 0 ? [`${pending} still to come after a day`] : []),
    ...(run.coverage ? toCoverageLines(run.coverage.report) : []),
    ...run.bugs.map((bug) => paint('red', cut(`a bug of the sandbox, not of yours: ${bug}`))),
    '',
    toVerdictLine(run, paint),
  ];
  return `${lines.join('\n')}\n`;
}

function toCommonLines({ name, rules, expectations }: ScenarioVerdict, paint: Paint): readonly string[] {
  return [
    '',
    paint('bold', name),
    ...rules.map((rule) => toLine(rule.outcome, toRuleText(rule), paint)),
    ...expectations.map(({ outcome, why }) => toLine(outcome, why, paint)),
  ];
}

/** In one line each, and beneath it only what was not met. */
function toOwnLines(scenarios: readonly ScenarioVerdict[], paint: Paint): readonly string[] {
  if (scenarios.length === 0) return [];
  const sorted = [...scenarios.filter(isUnmet), ...scenarios.filter((scenario) => !isUnmet(scenario))];
  const hidden = sorted.length - mostScenarios;
  return [
    '',
    paint('bold', 'switched on for single projects'),
    ...sorted.slice(0, mostScenarios).flatMap((scenario) => {
      const unmet = scenario.expectations.filter(({ outcome }) => outcome === 'failed');
      const outcome = unmet.length > 0 ? 'failed' : 'passed';
      return [
        toLine(outcome, toOwnText(scenario), paint),
        ...unmet.map((expectation) => `  ${toLine('failed', expectation.why, paint)}`),
      ];
    }),
    ...(hidden > 0
      ? [`  and ${hidden} more, of which ${sorted.slice(mostScenarios).filter(isUnmet).length} failed`]
      : []),
  ];
}

function isUnmet({ expectations }: ScenarioVerdict): boolean {
  return expectations.some(({ outcome }) => outcome === 'failed');
}

function toOwnText({ name, projects = [], rules, expectations }: ScenarioVerdict): string {
  const where = projects.length === 1 ? `project ${projects[0]}` : `${projects.length} projects`;
  const acted = rules.reduce((sum, rule) => sum + rule.acted, 0);
  const met = expectations.filter(({ outcome }) => outcome === 'passed').length;
  const judged = expectations.length === 0 ? '' : `, ${met} of ${count(expectations.length, 'expectation')} met`;
  const idle = rules.filter((rule) => rule.acted === 0).map((rule) => rule.name);
  const never = idle.length === 0 ? '' : `; never fired: ${idle.join(', ')}`;
  return `${name} in ${where}: rules acted ${times(acted)}${judged}${never}`;
}

/** How often a rule acted, or why it never did. */
export function toRuleText({ name, acted, chance, why }: RuleVerdict): string {
  if (why === undefined) return `${name}: acted ${times(acted)}`;
  return `${name}: never fired${chance === undefined ? '' : ' by chance'}; ${why}`;
}

/** What something came to, with its mark before it. */
export function toLine(outcome: Outcome, text: string, paint: Paint): string {
  return `  ${paint(colours[outcome], marks[outcome])} ${cut(text)}`;
}

function toTotalLines({ requests, statuses, mistakes, callbacks, states }: Totals): readonly string[] {
  const refused = [...mistakes].flatMap(([what, counts]) =>
    [...counts].map(([why, number]) => ({ what, why, number })),
  );
  const sorted = refused.toSorted((a, b) => b.number - a.number || inOrder(`${a.what} ${a.why}`, `${b.what} ${b.why}`));
  const hidden = sorted.slice(mostMistakes);
  return [
    count(requests, 'request'),
    ...toTableLines(statuses),
    ...(sorted.length > 0 ? ['refused'] : []),
    ...sorted.slice(0, mostMistakes).map(({ what, why, number }) => cut(`  ${number} × ${what}: ${why}`)),
    ...(hidden.length > 0 ? [`  and ${hidden.reduce((sum, { number }) => sum + number, 0)} with other mistakes`] : []),
    count(callbacks, 'callback'),
    ...toTableLines(states),
  ];
}

function toTableLines(table: Table): readonly string[] {
  const rows = [...table].toSorted(([a, as], [b, bs]) => sum(bs) - sum(as) || inOrder(a, b));
  const shown = rows.slice(0, mostScenarios).map(([name, counts]) => {
    const sorted = [...counts].toSorted(([a], [b]) => inOrder(a, b));
    const parts = sorted.map(([column, number]) => `${column} × ${number}`);
    return cut(`  ${name}: ${parts.join(', ')}`);
  });
  return rows.length > mostScenarios ? [...shown, `  and ${rows.length - mostScenarios} more kinds`] : shown;
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, number) => total + number, 0);
}

function toCoverageLines(report: CoverageReport): readonly string[] {
  return [toSummary(report), ...toAlarms(report).map((alarm) => `  ${alarm}`)].map(cut);
}

function toVerdictLine(run: Run, paint: Paint): string {
  const { command, code, ms, verdict, bugs, coverage } = run;
  const fails = [
    ...(code === 0 ? [] : [`the command ended with ${code}`]),
    ...toFailed(
      verdict.scenarios.flatMap(({ rules }) => rules),
      'rule',
      'never fired',
    ),
    ...toFailed(
      verdict.scenarios.flatMap(({ expectations }) => expectations),
      'expectation',
      'not met',
    ),
    ...(isTooLittle(run) ? [`coverage ${coverage?.report.percent} % is below ${coverage?.least} %`] : []),
    ...(bugs.length === 0 ? [] : [`the sandbox has ${count(bugs.length, 'bug')}`]),
  ];
  const took = `${cut(command)}, ${(ms / 1000).toFixed(1)} s`;
  return fails.length === 0
    ? `${paint('green', 'passed')}: ${took}`
    : `${paint('red', 'failed')}: ${fails.join(', ')} (${took})`;
}

function toFailed(all: readonly (RuleVerdict | ExpectationVerdict)[], noun: string, how: string): readonly string[] {
  const failed = all.filter(({ outcome }) => outcome === 'failed').length;
  return failed === 0 ? [] : [`${count(failed, noun)} ${how}`];
}

/** A number of things, in words. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

function times(number: number): string {
  return number === 1 ? 'once' : `${number.toLocaleString('en')} times`;
}

function cut(text: string): string {
  const shown = printable(text);
  return shown.length > longestLine ? `${shown.slice(0, longestLine)}…` : shown;
}
