/** Defines effects, which a rule applies to the matched request, and the plan that collects them. */
import type { SeededHash } from '../../lib/random.ts';
import type { RuleCount, Turn } from '../counts.ts';
import type { CallbackEffect, ConnectionFault } from '../types.ts';

/** A callback disturbance with the delay in milliseconds and defaults applied. */
export interface CallbackFault extends Omit<CallbackEffect, 'delay'> {
  readonly delayMs: number;
}

/** A rule that disturbs the callbacks of a request, as it was when the request was accepted. Plain data. */
export interface CallbackRule {
  /** Key of the rule in the counts of the project. */
  readonly key: string;
  readonly disturbance: CallbackFault;
  /** Input of the hash for random values: the seed, and the id of the rule, which is the same in all projects. */
  readonly hashed: readonly string[];
  /**
   * Whether the rule counts callbacks, not requests, because it has no other effect. Its turn is claimed per callback.
   */
  readonly countsCallbacks: boolean;
  readonly turn: Turn;
  readonly chance?: number;
}

/** A response that replaces the real one. */
export interface PlannedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** undefined means the default body for this status. */
  readonly body: unknown;
  /** Whether the request takes effect. */
  readonly processed: boolean;
}

/** The effects of scenarios on one request. For each kind and each entry, the first matching rule decides. */
export interface Plan {
  respond: PlannedAnswer | undefined;
  latencyMs: number | undefined;
  /** The result of a rate limit: seconds until the next request is accepted, or undefined within the limit. */
  limit: { readonly retryAfter: number | undefined } | undefined;
  connection: { readonly fault: ConnectionFault; readonly processed: boolean } | undefined;
  /** Reasons by entry number; undefined if no entry is rejected. */
  refused: Map<number, string> | undefined;
  failed: Map<number, { readonly reason: string; readonly afterMs?: number }> | undefined;
  readonly callbackRules: CallbackRule[];
}

/** Input of an effect when it is applied. */
export interface EffectContext {
  /** Numbers of the entries that the rule matched; all entries if it has no `item` condition. */
  readonly items: readonly number[];
  /** Total number of entries. */
  readonly entryCount: number;
  /** Random values of this rule. The text to hash names the purpose of the value. */
  readonly random: SeededHash;
  /** Counts of the rule in the project, including this request. */
  readonly count: RuleCount;
  /** The project clock, in milliseconds. */
  readonly now: number;
  /** The rule in the form that is stored for the callbacks of this request. */
  readonly callbackRule: Omit<CallbackRule, 'disturbance'>;
}

/**
 * Result of an effect: it was applied (`acted`), an earlier rule had decided (`outdone`), or it had nothing to do
 * (`idle`).
 */
export type EffectResult = 'acted' | 'outdone' | 'idle';

/** An effect. It adds itself to the plan unless an earlier rule has decided. */
export interface Effect {
  readonly kind: string;
  apply(plan: Plan, context: EffectContext): EffectResult;
}
