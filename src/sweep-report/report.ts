/** The report of a sweep, as its JSON file has it, and the numbers of its cases. */
import { type Quality, type Verdict, verdictNames, verdicts } from './verdicts.ts';

/** One case: a failure of an operation, and how the command survived it. */
export interface SweepCase {
  /** `OPERATION/KIND/N`, or `OPERATION/KIND/always`. */
  readonly case: string;
  readonly operation: string;
  /** Kind of failure, as in the failure catalog. */
  readonly kind: string;
  /** Number of the request that the failure hit. */
  readonly occurrence: number | null;
  /** Whether the failure hit every request of the operation. */
  readonly always: boolean;
  /** What a good client does: recover, or report the failure. */
  readonly expects: 'recovery' | 'report';
  readonly verdict: Verdict;
  /** Says in one sentence what happened. */
  readonly detail: string;
  /** What happened in a bad case, or is noted of a good one, in a few words, such as `1 job is missing: ORD-1`. */
  readonly found?: string | undefined;
  /** First line of the output of a bad case that reads like an error, and that no run without a failure printed. */
  readonly error?: string | undefined;
  /** Null if the command was ended. */
  readonly exitCode: number | null;
  readonly requests: number;
  readonly durationMs: number;
  /** The case that was run instead, because this one cannot differ from it. */
  readonly sameAs?: string | undefined;
  /** Files of the case, relative to the folder in which the sweep ran. */
  readonly scenario?: string | undefined;
  readonly recordings?: readonly string[] | undefined;
  readonly output?: string | undefined;
}

export interface SweepReport {
  readonly baseline: {
    readonly requests: number;
    readonly durationMs: number;
    /** Number of requests by operation. */
    readonly operations: Readonly<Record<string, number>>;
    /** Number of delivered callbacks by type. */
    readonly callbacks?: Readonly<Record<string, number>> | undefined;
  };
  readonly cases: readonly SweepCase[];
  /** Number of cases by verdict. */
  readonly summary: Readonly<Partial<Record<Verdict, number>>>;
  /** Number of cases that the sweep did not get to. */
  readonly notTried: number;
  /** Failures for which there was no case, and why. */
  readonly omitted?: readonly Omitted[] | undefined;
}

export interface Omitted {
  /** Kinds of failure, or requests. */
  readonly what: string;
  readonly why: string;
}

/** The number of cases with a verdict. */
export interface VerdictCount {
  readonly verdict: Verdict;
  readonly count: number;
}

/** Counts the cases of each verdict that occurs, the worst first. Includes cases that were not run, by `sameAs`. */
export function countVerdicts(cases: readonly SweepCase[]): readonly VerdictCount[] {
  return verdictNames
    .map((verdict) => ({ verdict, count: cases.filter((one) => one.verdict === verdict).length }))
    .filter(({ count }) => count > 0);
}

/** Counts the cases by verdict, for the report. */
export function summarize(cases: readonly SweepCase[]): SweepReport['summary'] {
  return Object.fromEntries(countVerdicts(cases).map(({ verdict, count }) => [verdict, count]));
}

/** Counts the cases by how they count. */
export function countQualities(cases: readonly SweepCase[]): Readonly<Record<Quality, number>> {
  const counts = { bad: 0, neutral: 0, good: 0 };
  for (const { verdict } of cases) counts[verdicts[verdict].quality] += 1;
  return counts;
}
