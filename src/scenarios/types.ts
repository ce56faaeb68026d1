/** Types of a scenario file. They are plain, so that the startup code needs no parser. */

/** A single value of a field. A text may contain the wildcards `*` (any characters) and `?` (one character). */
export type Scalar = string | number | boolean | null;

/** One glob, or several of which one must match. */
export type Globs = string | readonly string[];

/** Bounds of a number, or of a text in character order. */
export interface Bounds {
  readonly gt?: number | string;
  readonly gte?: number | string;
  readonly lt?: number | string;
  readonly lte?: number | string;
}

/** A condition on a field. `matches` is an re2 regular expression. */
export type Matcher =
  | Scalar
  | { readonly in: readonly Scalar[] }
  | { readonly matches: string }
  | { readonly exists: boolean }
  | Bounds;

/** Matchers by the dotted path of a field; `headers.NAME` is a header. */
export type FieldConditions = Readonly<Record<string, Matcher>>;

/** Selects the entries of a request on which a rule fires. Numbers are 1-based. */
export type ItemCondition =
  | number
  | readonly number[]
  | { readonly every: number }
  | { readonly id: Globs }
  | { readonly where: FieldConditions };

/**
 * Selects the requests on which a rule fires, by number among those that meet the other conditions. Numbers are
 * 1-based; `from` and `to` are inclusive.
 */
export type RequestCondition =
  | { readonly nth: number }
  | { readonly from: number; readonly to?: number }
  | { readonly every: number };

/**
 * A time span of the project clock, as durations. It begins a time after the scenario was switched on, or when
 * `afterRequests` requests have met the other conditions of the rule. Without `for`, it never ends.
 */
export type DuringCondition =
  | { readonly after?: string; readonly for?: string }
  | { readonly afterRequests: number; readonly for?: string };

/** The conditions of a rule. All of them must be met. */
export interface When {
  readonly operation?: Globs;
  readonly project?: Globs;
  readonly subproject?: Globs;
  readonly item?: ItemCondition;
  readonly request?: RequestCondition;
  readonly during?: DuringCondition;
  readonly where?: FieldConditions;
}

/** A delay, as durations: exact, uniformly distributed between two, or long-tailed around a median. */
export type Latency =
  | string
  | { readonly min: string; readonly max: string }
  | { readonly median: string; readonly p99: string };

/** A response that replaces the real one. Without a body, the default body for the status is sent. */
export interface Respond {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A maximum number of requests per duration. The duration begins with the first request. */
export interface Limit {
  readonly requests: number;
  readonly per: string;
}

/** Faults of a response on the connection. */
export const connectionFaults = ['reset', 'close', 'hang', 'truncate', 'drip'] as const;
export type ConnectionFault = (typeof connectionFaults)[number];

/** Orders in which collected callbacks are sent. */
export const callbackOrders = ['reverse', 'shuffle'] as const;
/** Faults of a callback signature. */
export const signatureFaults = ['invalid', 'missing', 'stale'] as const;
/** Faults of a callback body. */
export const bodyFaults = ['malformed'] as const;

/** Disturbs the callbacks of the matched requests. All keys apply. `delay` is a duration. */
export interface CallbackEffect {
  readonly delay?: string;
  /** Total number of deliveries, all with the same id. */
  readonly copies?: number;
  /**
   * Collects callbacks for `delay`, then sends them in this order. Without `delay`, collects those of the same
   * instant.
   */
  readonly order?: (typeof callbackOrders)[number];
  readonly drop?: true;
  readonly signature?: (typeof signatureFaults)[number];
  readonly body?: (typeof bodyFaults)[number];
}

/**
 * The effects of a rule, at least one. `processed` modifies `respond` and `connection`; `after` (a duration) modifies
 * `fail`.
 */
export interface Then {
  readonly respond?: Respond;
  readonly refuse?: string;
  readonly fail?: string;
  readonly latency?: Latency;
  readonly limit?: Limit;
  readonly connection?: ConnectionFault;
  readonly callback?: CallbackEffect;
  readonly processed?: boolean;
  readonly after?: string;
}

/**
 * One rule. Without `when` it matches every request, without `chance` it always fires, without `times` it never ends.
 */
export interface Rule {
  readonly name?: string;
  readonly when?: When;
  /** Probability from 0 to 1. */
  readonly chance?: number;
  readonly times?: number;
  readonly then: Then;
}

/** The expected count of an expectation. The default is at least one. */
export interface Bounded {
  readonly count?: number;
  readonly min?: number;
  readonly max?: number;
  /** Counts only what happened after the rule with this name first fired. */
  readonly after?: string;
}

export interface RequestExpectation extends Bounded {
  readonly operation?: Globs;
  readonly status?: number;
  readonly item?: ItemCondition;
}

export const callbackStates = ['scheduled', 'delivered', 'failed', 'inbox', 'dropped'] as const;

export interface CallbackExpectation extends Bounded {
  readonly type?: Globs;
  readonly state?: (typeof callbackStates)[number];
  readonly operation?: Globs;
}

/** Expects a number of requests, callbacks, or firings of a rule. */
export type Expectation =
  | { readonly requests: RequestExpectation }
  | { readonly callbacks: CallbackExpectation }
  | ({ readonly rule: string } & Bounded);

/** A scenario file. `seed` replaces the seed of the server. */
export interface Scenario {
  readonly name: string;
  readonly description?: string;
  readonly seed?: string | number;
  readonly rules: readonly Rule[];
  readonly expect?: readonly Expectation[];
}

/** Returns the name of a rule; the default is its 1-based number in the scenario. */
export function toRuleName(name: string | undefined, index: number): string {
  return name ?? `rule ${index + 1}`;
}
