/** The report of a sweep, as its JSON file has it. */
import type { Verdict } from './verdicts.ts';

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
  /** What happened in a bad case, in a few words, such as `1 job is missing: ORD-1`. */
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
