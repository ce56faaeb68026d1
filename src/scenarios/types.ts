/** Types of a scenario file. They are plain, so that the startup code needs no parser. */
import type { Then } from './effects/index.ts';

export type { ConnectionFault } from './effects/effect.ts';

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

/** Selects requests by number, from 1, among those that meet the other conditions. Both ends are inclusive. */
export type RequestCondition =
  | { readonly nth: number }
  | { readonly from: number; readonly to?: number }
  | { readonly every: number };

/**
 * A time span of the project clock, as durations. It begins a time after the scenario was activated, or when
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

/** Without `when` a rule matches every request, without `chance` it always fires, without `times` never ends. */
export interface Rule {
  readonly name?: string;
  /** `server`: counts over all projects. Default: each project has its own counts. */
  readonly scope?: 'server';
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

/** Classes of statuses. The sandbox sends no status below 200. */
export const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const;

/** A status, 0 if no response was sent, or a class of them. */
export type StatusCondition = number | (typeof statusClasses)[number];

export interface RequestExpectation extends Bounded {
  readonly operation?: Globs;
  readonly status?: StatusCondition | readonly StatusCondition[];
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
  /** `first`: comes before all other scenarios, and stays active with its counts. Default: the order of activation. */
  readonly priority?: 'first';
  readonly rules: readonly Rule[];
  readonly expect?: readonly Expectation[];
}

/** Returns the name of a rule; the default is its 1-based number in the scenario. */
export function toRuleName(name: string | undefined, index: number): string {
  return name ?? `rule ${index + 1}`;
}
