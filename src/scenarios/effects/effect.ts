/** What an effect is: something that a rule does to the request it matches, and how a plan collects it. */
import type { SeededHash } from '../../base/random.ts';

/** A scenario's rule that disturbs the callbacks of a request, as it stood when the request was accepted. */
export interface CallbackRule {
  /** Names the rule among the project's counts. */
  readonly key: string;
  readonly delayMs: number;
  /** Whether the rule has no other effect, and so counts callbacks in place of requests. */
  readonly countsCallbacks: boolean;
  readonly request?: { readonly from: number; readonly to: number; readonly every: number };
  readonly times?: number;
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
  /** Reasons, by the entry's number. */
  readonly refused: Map<number, string>;
  readonly failed: Map<number, { readonly reason: string; readonly afterMs?: number }>;
  readonly callbackRules: CallbackRule[];
}

/** What an effect may look at when it is applied. */
export interface Occasion {
  /** The numbers of the entries that the rule matched: all of them where it names none. */
  readonly items: readonly number[];
  /** Random values of this rule; the text to hash names what the value is for. */
  readonly random: SeededHash;
  /** How many requests have met the rule's conditions, this one included. */
  readonly count: number;
  /** The rule as it is carried along to the callbacks of this request. */
  readonly callbackRule: Omit<CallbackRule, 'delayMs'>;
}

/** Adds itself to the plan where no earlier rule has, and says whether it did. */
export interface Effect {
  readonly kind: string;
  apply(plan: Plan, occasion: Occasion): boolean;
}
