/** Defines the plan that collects the effects on a request, and how an effect is applied to it. */
import type { SeededHash } from '../../lib/random.ts';
import type { RuleCount, Turn } from '../counts.ts';

export const connectionFaults = ['reset', 'close', 'hang', 'truncate', 'drip'] as const;
export type ConnectionFault = (typeof connectionFaults)[number];

/** Orders in which collected callbacks are sent. */
export const callbackOrders = ['reverse', 'shuffle'] as const;
export type CallbackOrder = (typeof callbackOrders)[number];
/** Faults of a callback signature. */
export const signatureFaults = ['invalid', 'missing', 'stale'] as const;
export type SignatureFault = (typeof signatureFaults)[number];
/** Faults of a callback body. */
export const bodyFaults = ['malformed'] as const;
export type BodyFault = (typeof bodyFaults)[number];

/** Disturbs the callbacks of the matched requests. All keys apply. `delay` is a duration. */
export interface CallbackEffect {
  readonly delay?: string;
  /** Total number of deliveries, all with the same id. */
  readonly copies?: number;
  /** Collects callbacks for `delay`, or those of the same instant, then sends them in this order. */
  readonly order?: CallbackOrder;
  readonly drop?: true;
  readonly signature?: SignatureFault;
  readonly body?: BodyFault;
}

/** A callback fault with the delay in milliseconds and defaults applied. */
export interface CallbackFault extends Omit<CallbackEffect, 'delay'> {
  readonly delayMs: number;
}

/** A rule that disturbs the callbacks of a request, as it was when the request was accepted. Plain data. */
export interface CallbackRule {
  /** Key of the rule in the counts of the project. */
  readonly key: string;
  readonly fault: CallbackFault;
  /** Input of the hash for random values: the seed, and the id of the rule, which is the same in all projects. */
  readonly hashed: readonly string[];
  /** Whether it counts callbacks, because it has no other effect. Its turn is then claimed per callback. */
  readonly countsCallbacks: boolean;
  /** Whether it counts over all projects. */
  readonly isServerWide?: boolean;
  readonly turn: Turn;
  readonly chance?: number;
  /** Numbers of the entries whose callbacks it disturbs; undefined without a condition on entries: those of all. */
  readonly items?: readonly number[];
}

export interface PlannedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** undefined means the default body for this status. */
  readonly body: unknown;
  /** Whether the request takes effect. */
  readonly processed: boolean;
}

/**
 * The effects of scenarios on one request, as plain data that the HTTP layer and the callbacks apply. An effect fills
 * one or several fields, unless an earlier rule has filled them: for each field and entry, the first rule decides.
 */
export interface Plan {
  respond: PlannedResponse | undefined;
  latencyMs: number | undefined;
  /** The result of a rate limit: seconds of real time until the next request is accepted, or undefined within the limit. */
  limit: { readonly retryAfter: number | undefined } | undefined;
  connection: { readonly fault: ConnectionFault; readonly processed: boolean } | undefined;
  /** Reasons by entry number; undefined if no entry is rejected. */
  refused: Map<number, string> | undefined;
  failed: Map<number, { readonly reason: string; readonly afterMs?: number }> | undefined;
  readonly callbackRules: CallbackRule[];
  /** Entries whose callbacks a rule disturbs that does not count callbacks. */
  disturbed: Set<number> | 'all' | undefined;
}

export const emptyPlan = (): Plan => ({
  respond: undefined,
  latencyMs: undefined,
  limit: undefined,
  connection: undefined,
  refused: undefined,
  failed: undefined,
  callbackRules: [],
  disturbed: undefined,
});

export interface EffectContext {
  /** Numbers of the entries that the rule matched; all entries if it has no `item` condition. */
  readonly items: readonly number[];
  readonly entryCount: number;
  /** Random values of this rule. The text to hash names the purpose of the value. */
  readonly random: SeededHash;
  /** Counts of the rule in the project, including this request. */
  readonly count: RuleCount;
  /** The project clock, in milliseconds. */
  readonly now: number;
  /** How many times faster than real time the project clock runs; 0 if it is frozen. */
  readonly clockRate: number;
  /** The rule in the form that is stored for the callbacks of this request. */
  readonly callbackRule: Omit<CallbackRule, 'fault'>;
}

/** Applied (`acted`), decided by an earlier rule (`outdone`), or without anything to do (`idle`). */
export type EffectResult = 'acted' | 'outdone' | 'idle';

/** Adds an effect to the plan unless an earlier rule has decided. Synchronous; reads time and chance from the context. */
export type ApplyEffect = (plan: Plan, context: EffectContext) => EffectResult;

/** One effect of a compiled rule; for its fields, see `EffectDefinition`. */
export interface Effect {
  readonly kind: string;
  readonly scope: EffectScope;
  readonly idleReason: string | undefined;
  readonly apply: ApplyEffect;
}

/** Faults with a response, whole or in part, which shows the entries that are refused or fail. */
const readable: readonly ConnectionFault[] = ['truncate', 'drip'];

/** Whether the whole request ends without being processed, so that no entry can fail any more. */
function isOver({ respond, limit, connection }: Plan): boolean {
  const isBroken = connection?.processed === false && !readable.includes(connection.fault);
  return isBroken || respond?.processed === false || limit?.retryAfter !== undefined;
}

/** Stores the value for each matched entry for which no earlier rule has decided. */
export function applyToEntries<Value>(
  plan: Plan,
  key: 'refused' | 'failed',
  value: Value,
  { items, entryCount }: EffectContext,
): EffectResult {
  if (isOver(plan)) return 'outdone';
  plan[key] ??= new Map();
  const decided = plan[key] as Map<number, Value>;
  const before = decided.size;
  // Every entry is decided. Returning early matters, because very many rules may follow.
  if (before === entryCount && items.length > 0) return 'outdone';
  for (const item of items) if (!decided.has(item)) decided.set(item, value);
  if (items.length === 0) return 'idle';
  return decided.size > before ? 'acted' : 'outdone';
}

/** The `idleReason` of an effect on entries. */
export const noEntries = 'the request has no entries';

/** What an effect changes: matched entries, the response to the whole request, or the callbacks of the request. */
export type EffectScope = 'entry' | 'request' | 'callback';

export interface EffectFailure {
  readonly kind: string;
  /** Describes what the client observes. */
  readonly about: string;
  /** The `then` of a rule, as YAML in one line. */
  readonly effect: string;
  /** What a robust client does: recovers, so that nothing is lost, or reports the failure. */
  readonly expects: 'recovery' | 'report';
  /** Whether clients meet it on every request too, in an outage. */
  readonly isOutage?: boolean;
  /**
   * Returns the `then` of a case that disturbs what the client does anyway, with short waits. `clockRate`: how many times
   * faster than real time the project clock runs, 0 if it is frozen. Returns undefined if that makes the kind
   * impossible. Default: `effect`.
   */
  readonly caseEffect?: (clockRate: number) => string | undefined;
  /** Describes what the client observes in a case, if it differs from `about`. */
  readonly caseAbout?: string;
  /** Describes what the client observes if the last of several entries is hit, if that leaves the others as they are. */
  readonly lastAbout?: string;
  /** Whether a rule with this effect produces the kind, or an observed failure is of this kind. */
  does(effect: ObservedFailure): boolean;
}

/** A failure that a client observed, with the keys of `then`. For keys of type `unknown`, only the presence counts. */
export interface ObservedFailure {
  readonly connection?: ConnectionFault;
  readonly processed?: boolean;
  readonly callback?: CallbackEffect;
  readonly respond?: { readonly status: number };
  readonly refuse?: unknown;
  readonly fail?: unknown;
  readonly latency?: unknown;
  readonly limit?: unknown;
}

/** The traits of an operation that determine its kinds of failure. */
export interface OperationTraits {
  /** Whether failures are reported by callback, or in the response. */
  readonly byCallback: boolean;
  /** Whether the result has a list of failures. */
  readonly listsFailures: boolean;
  /** Error statuses that the API document declares for the operation. */
  readonly statuses: readonly number[];
}
