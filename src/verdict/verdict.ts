/** What a run came to, as one value: what became of every rule and expectation, and what there was in all. */
import type { Totals } from './totals.ts';

/** `left out` is what need not have been: a rule by chance, or one that was switched on for single projects. */
export type Outcome = 'passed' | 'failed' | 'left out';

export interface RuleVerdict {
  readonly name: string;
  readonly acted: number;
  /** How likely it was to act each time; undefined where that was certain. */
  readonly chance: number | undefined;
  readonly outcome: Outcome;
  /** Why it did not fire: what came nearest to it. Undefined where it has fired. */
  readonly why: string | undefined;
}

export interface ExpectationVerdict {
  /** What was wanted, in words. */
  readonly wish: string;
  readonly outcome: Outcome;
  /** The same with what there was; of a project's own scenario with the project, and how many more there are. */
  readonly why: string;
}

export interface ScenarioVerdict {
  readonly name: string;
  /** The projects for which it was switched on; undefined where it was in force for all. */
  readonly projects: readonly string[] | undefined;
  readonly rules: readonly RuleVerdict[];
  readonly expectations: readonly ExpectationVerdict[];
}

export interface Verdict {
  /** Those for all projects first. */
  readonly scenarios: readonly ScenarioVerdict[];
  readonly totals: Totals;
  /** Instructions and attempts that were still to come after a day. */
  readonly pending: number;
}

/** Whether nothing failed. */
export function isPassed({ scenarios }: Verdict): boolean {
  return scenarios.every(({ rules, expectations }) =>
    [...rules, ...expectations].every(({ outcome }) => outcome !== 'failed'),
  );
}
