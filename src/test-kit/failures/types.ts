/** The types of functions that try failures. */
import type { Duration, OperationName } from '../types.ts';

/** Which failures to try. */
export interface FailureFilter {
  /** An operationId such as `asyncImportJobs`, a glob such as `*Jobs`, or a list of them. */
  readonly operation: string | readonly string[];
  /** A kind such as `status-503`, a glob such as `connection-*`, or a list of them; default: all. `limit` is in no case. */
  readonly kinds?: string | readonly string[];
}

/** One failure to try: a kind, at the first request of an operation or at all of them. */
export interface TestFailure {
  /** `OPERATION/KIND/1`, or `OPERATION/KIND/always`. */
  readonly case: string;
  readonly operation: OperationName;
  readonly kind: string;
  /** Whether it hits every request of the operation. */
  readonly always: boolean;
  /** What a robust client does: recovers, so that nothing is lost, or reports the failure. */
  readonly expects: 'recovery' | 'report';
  /** Describes what the client observes. */
  readonly about: string;
  /** The scenario that produces the failure, for `project.use(failure)`. */
  readonly yaml: string;
}

/** Which failures to try, and how. */
export interface FailureOptions extends FailureFilter {
  /** Maximum time of one call of the test body, in real time. Default: 30 s. */
  readonly timeout?: Duration;
  /** Number of test bodies that run at the same time. Default: 1. */
  readonly concurrency?: number;
}

/** A failure that the client has survived. */
export interface SurvivedFailure extends TestFailure {
  /** Whether the failure happened: a client without callbacks, for example, meets none of their failures. */
  readonly reached: boolean;
}
