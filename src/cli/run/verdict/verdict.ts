/** Verdict of a run: the outcome of every rule and expectation, and the totals. */
import type { Outcome } from '../../output/text.ts';
import type { Totals } from './totals.ts';

export interface RuleVerdict {
  readonly name: string;
  /** Number of times the rule fired. */
  readonly acted: number;
  /** Probability of the rule; undefined if it always fires. */
  readonly chance: number | undefined;
  /** `skipped` for a rule that never fired, if it has a chance or was active for single projects only. */
  readonly outcome: Outcome;
  /** Why it did not fire, with the closest request; undefined if it fired. */
  readonly why: string | undefined;
}

export interface ExpectationVerdict {
  /** Text of the expectation. */
  readonly expected: string;
  readonly outcome: Outcome;
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

/** Compares texts by UTF-16 code units. Projects run in parallel, so the order of their events is random. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
