/** Run results for tests of the reports. */
import type { RunSummary } from '../../../src/cli/run/report.ts';
import type { Totals } from '../../../src/cli/run/verdict/totals.ts';
import type {
  ExpectationVerdict,
  RuleVerdict,
  ScenarioVerdict,
  Verdict,
} from '../../../src/cli/run/verdict/verdict.ts';

/** Creates totals, by default of a run without requests. */
export function createTotals(totals: Partial<Totals> = {}): Totals {
  return {
    ...{ requests: 0, statuses: new Map(), mistakes: new Map(), callbacks: 0, states: new Map() },
    ...{ failures: new Map(), hasLateFailure: false },
    ...totals,
  };
}

/** Creates a passed run without requests. */
export function createRun({
  verdict,
  ...more
}: Partial<Omit<RunSummary, 'verdict'>> & { verdict?: Partial<Verdict> } = {}): RunSummary {
  const empty = { scenarios: [], totals: createTotals(), pending: 0 };
  return { command: 'npm test', code: 0, ms: 1234, bugs: [], ...more, verdict: { ...empty, ...verdict } };
}

export function createScenario(
  rules: readonly RuleVerdict[] = [],
  expectations: readonly ExpectationVerdict[] = [],
  more: Partial<ScenarioVerdict> = {},
): ScenarioVerdict {
  return { name: 'it', projects: undefined, rules, expectations, ...more };
}

export const fired: RuleVerdict = { name: 'one', acted: 2, chance: undefined, outcome: 'passed', why: undefined };
export const idle: RuleVerdict = {
  name: 'two',
  acted: 0,
  chance: undefined,
  outcome: 'failed',
  why: 'closest request: X',
};
export const unlucky: RuleVerdict = {
  name: 'three',
  acted: 0,
  chance: 0.1,
  outcome: 'skipped',
  why: 'closest request: Y',
};
export const met: ExpectationVerdict = {
  expected: 'requests: wanted 1',
  outcome: 'passed',
  why: 'requests: wanted 1, was 1',
};
export const unmet: ExpectationVerdict = {
  expected: 'callbacks: wanted 1',
  outcome: 'failed',
  why: 'callbacks: were 0',
};
