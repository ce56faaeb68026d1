/** What a scenario file says, as data: plain types, so that what reads them at the start needs no parser. */

/** A single value of a field. Text may hold `*` (any characters) and `?` (one). */
export type Scalar = string | number | boolean | null;

/** One text or several of which one must match. */
export type Globs = string | readonly string[];

/** Bounds of a number, or of a text in the order of its characters. */
export interface Bounds {
  readonly gt?: number | string;
  readonly gte?: number | string;
  readonly lt?: number | string;
  readonly lte?: number | string;
}

/** What a field must be. `matches` is a regular expression of re2. */
export type Matcher =
  | Scalar
  | { readonly in: readonly Scalar[] }
  | { readonly matches: string }
  | { readonly exists: boolean }
  | Bounds;

/** Matchers by the dotted path of a field; `headers.NAME` is a header. */
export type Where = Readonly<Record<string, Matcher>>;

/** Which entries of a request a rule acts on; numbers count from 1. */
export type ItemCondition =
  | number
  | readonly number[]
  | { readonly every: number }
  | { readonly id: Globs }
  | { readonly where: Where };

/** Which of the requests that meet all else a rule acts on, counted from 1; `from` and `to` are included. */
export type RequestCondition =
  | { readonly nth: number }
  | { readonly from: number; readonly to?: number }
  | { readonly every: number };

/**
 * A span of the project's clock, as durations: some time after the scenario was switched on, or from the instant at which
 * so many requests have met the rule's other conditions. Without `for` it never ends.
 */
export type DuringCondition =
  | { readonly after?: string; readonly for?: string }
  | { readonly afterRequests: number; readonly for?: string };

/** When a rule holds: all that is named must. */
export interface When {
  readonly operation?: Globs;
  readonly project?: Globs;
  readonly subproject?: Globs;
  readonly item?: ItemCondition;
  readonly request?: RequestCondition;
  readonly during?: DuringCondition;
  readonly where?: Where;
}

/** How long to wait, as durations: exactly, evenly between two, or long-tailed around a median. */
export type Latency =
  | string
  | { readonly min: string; readonly max: string }
  | { readonly median: string; readonly p99: string };

/** The answer in place of the real one; without a body, the catalogue's for that status. */
export interface Respond {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** At most so many requests in a duration, which begins with the first of them. */
export interface Limit {
  readonly requests: number;
  readonly per: string;
}

/** How a response is broken on the wire. */
export const connectionFaults = ['reset', 'close', 'hang', 'truncate', 'drip'] as const;
export type ConnectionFault = (typeof connectionFaults)[number];

/** In which order callbacks that were gathered are sent. */
export const callbackOrders = ['reverse', 'shuffle'] as const;
/** What is wrong with a callback's signature. */
export const signatureFaults = ['invalid', 'missing', 'stale'] as const;
/** What is wrong with a callback's body. */
export const bodyFaults = ['malformed'] as const;

/** What happens to the callbacks of the matched requests; all that is named. `delay` is a duration. */
export interface CallbackEffect {
  readonly delay?: string;
  /** How often it is sent in all, each time with the same id. */
  readonly copies?: number;
  /** Gathers callbacks for `delay` (none: those of the same instant), then sends them in this order. */
  readonly order?: (typeof callbackOrders)[number];
  readonly drop?: true;
  readonly signature?: (typeof signatureFaults)[number];
  readonly body?: (typeof bodyFaults)[number];
}

/**
 * What a rule does: one or several effects. `processed` goes with `respond` and `connection`, `after` (a duration) with
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

/** One rule. Without `when` it holds for every request, without `chance` each time, without `times` for ever. */
export interface Rule {
  readonly name?: string;
  readonly when?: When;
  /** From 0 to 1. */
  readonly chance?: number;
  readonly times?: number;
  readonly then: Then;
}

/** How often something is to have happened; without any, at least once. */
export interface Bounded {
  readonly count?: number;
  readonly min?: number;
  readonly max?: number;
  /** Counts only what came after a rule of this scenario, by its name, first acted. */
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

/** What is to have happened: requests, callbacks, or the deeds of a rule. */
export type Expectation =
  | { readonly requests: RequestExpectation }
  | { readonly callbacks: CallbackExpectation }
  | ({ readonly rule: string } & Bounded);

/** A scenario file. `seed` stands in for the server's. */
export interface Scenario {
  readonly name: string;
  readonly description?: string;
  readonly seed?: string | number;
  readonly rules: readonly Rule[];
  readonly expect?: readonly Expectation[];
}

/** What a rule is called that was given no name: its place among the scenario's. */
export function toRuleName(name: string | undefined, index: number): string {
  return name ?? `rule ${index + 1}`;
}
