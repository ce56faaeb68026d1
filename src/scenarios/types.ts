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

/** When a rule holds: all that is named must. */
export interface When {
  readonly operation?: Globs;
  readonly project?: Globs;
  readonly subproject?: Globs;
  readonly item?: ItemCondition;
  readonly request?: RequestCondition;
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

/** What happens to the callbacks of the matched requests. `delay` is a duration. */
export interface CallbackEffect {
  readonly delay: string;
}

/** What a rule does: one or several effects. `processed` goes with `respond`, `after` (a duration) with `fail`. */
export interface Then {
  readonly respond?: Respond;
  readonly refuse?: string;
  readonly fail?: string;
  readonly latency?: Latency;
  readonly callback?: CallbackEffect;
  readonly processed?: boolean;
  readonly after?: string;
}

/** One rule. Without `when` it holds for every request, without `times` for ever. */
export interface Rule {
  readonly name?: string;
  readonly when?: When;
  readonly times?: number;
  readonly then: Then;
}

/** A scenario file. `seed` stands in for the server's. */
export interface Scenario {
  readonly name: string;
  readonly description?: string;
  readonly seed?: string | number;
  readonly rules: readonly Rule[];
}
