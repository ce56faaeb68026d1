/** Verdict of a run: the outcome of every rule and expectation, and the totals. */
import type { Totals } from './totals.ts';

/** `skipped` means not required: a rule with a chance, or a rule that was active for single projects. */
export type RunOutcome = 'passed' | 'failed' | 'skipped';

export interface RuleVerdict {
  readonly name: string;
  /** Number of times the rule fired. */
  readonly acted: number;
  /** Probability of the rule; undefined if it always fires. */
  readonly chance: number | undefined;
  readonly outcome: RunOutcome;
  /** Why it did not fire, with the closest request; undefined if it fired. */
  readonly why: string | undefined;
}

export interface ExpectationVerdict {
  /** Text of the expectation. */
  readonly expected: string;
  readonly outcome: RunOutcome;
  /** Text with the actual value; for a project's own scenario also the project and the number of other failures. */
  readonly why: string;
}

export interface ScenarioVerdict {
  readonly name: string;
  /** Projects for which it was active; undefined if it was active for all projects. */
  readonly projects: readonly string[] | undefined;
  readonly rules: readonly RuleVerdict[];
  readonly expectations: readonly ExpectationVerdict[];
}

export interface Verdict {
  /** Scenarios for all projects first. */
  readonly scenarios: readonly ScenarioVerdict[];
  readonly totals: Totals;
  /** Number of deferred commands and attempts that were still pending after a day. */
  readonly pending: number;
}

/** Returns whether nothing failed. */
export function isPassed({ scenarios }: Verdict): boolean {
  return scenarios.every(({ rules, expectations }) =>
    [...rules, ...expectations].every(({ outcome }) => outcome !== 'failed'),
  );
}
