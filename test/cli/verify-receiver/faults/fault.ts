/** What a fault of a receiver is. */
import type { Steps } from '../receiver.ts';

/** Steps that are wrong, and the checks that fail by them. */
export interface Fault {
  readonly steps: Partial<Steps>;
  readonly found: readonly string[];
  /** What the notes of the first of these say. */
  readonly note: string;
  /** Where it broke the receiver, or no other check could tell anything: why the rest was left out. */
  readonly ends?: string;
  readonly hint?: string;
  /** Where an attempt has to end without an answer. */
  readonly attemptMs?: number;
}
