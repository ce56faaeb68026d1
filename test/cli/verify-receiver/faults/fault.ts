/** Type of the faults of receivers. */
import type { Steps } from '../receiver.ts';

/** Wrong steps of a receiver, and the checks that find them. */
export interface Fault {
  readonly steps: Partial<Steps>;
  readonly found: readonly string[];
  /** Note of the first of these checks. */
  readonly note: string;
  /** Why the remaining checks are skipped, if they are. */
  readonly ends?: string;
  readonly hint?: string;
  /** Timeout of an attempt, if the receiver does not respond. */
  readonly attemptMs?: number;
}
