/** What an effect is: something that a rule does to the request it matches, and how a plan collects it. */
import type { SeededHash } from '../../base/random.ts';
import type { RuleCount, Turn } from '../counts.ts';
import type { CallbackEffect, ConnectionFault } from '../types.ts';

/** What happens to a callback: lengths in milliseconds, and what was left out filled in. */
export interface Disturbance extends Omit<CallbackEffect, 'delay'> {
  readonly delayMs: number;
}

/** A scenario's rule that disturbs the callbacks of a request, as it stood when the request was accepted. Plain data. */
export interface CallbackRule {
  /** Names the rule among the project's counts. */
  readonly key: string;
  readonly disturbance: Disturbance;
  /** What its random values are hashed from: the seed, and the rule's name beyond all projects. */
  readonly hashed: readonly string[];
  /** Whether the rule has no other effect, and so counts callbacks in place of requests: its turn is claimed then. */
  readonly countsCallbacks: boolean;
  readonly turn: Turn;
  readonly chance?: number;
}

/** An answer in place of the usual one. */
export interface PlannedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** undefined: the catalogue's for this status. */
  readonly body: unknown;
  /** Whether the request takes effect all the same. */
  readonly processed: boolean;
}

/** All that scenarios do to one request: of each kind, and for each entry, what the first matching rule says. */
export interface Plan {
  respond: PlannedAnswer | undefined;
  latencyMs: number | undefined;
  /** What the limit in force says: how many seconds to wait, or undefined within it. */
  limit: { readonly retryAfter: number | undefined } | undefined;
  connection: { readonly fault: ConnectionFault; readonly processed: boolean } | undefined;
  /** Reasons, by the entry's number; undefined where there are none. */
  refused: Map<number, string> | undefined;
  failed: Map<number, { readonly reason: string; readonly afterMs?: number }> | undefined;
  readonly callbackRules: CallbackRule[];
}

/** What an effect may look at when it is applied. */
export interface Occasion {
  /** The numbers of the entries that the rule matched: all of them where it names none. */
  readonly items: readonly number[];
  /** Random values of this rule; the text to hash names what the value is for. */
  readonly random: SeededHash;
  /** What the project remembers of the rule, this request counted. */
  readonly count: RuleCount;
  /** The project's clock in milliseconds. */
  readonly now: number;
  /** The rule as it is carried along to the callbacks of this request. */
  readonly callbackRule: Omit<CallbackRule, 'disturbance'>;
}

/** What became of an effect: it acted; an earlier rule had decided already; or there was nothing for it to do. */
export type Applied = 'acted' | 'outdone' | 'idle';

/** Adds itself to the plan where no earlier rule has. */
export interface Effect {
  readonly kind: string;
  apply(plan: Plan, occasion: Occasion): Applied;
}
