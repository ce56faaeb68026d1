/** Defines the profile: the settings for all details that the API's documentation leaves open. */
import document from '../../../spec/profile.yaml';
import { codeOf, type ProblemKind } from '../../lib/problem.ts';
import type { IdentifierPlaces } from './places.ts';

/** What a profile changes about an operation. */
export interface OperationOverride {
  readonly method?: string;
  readonly path?: string;
  /** Places of its identifiers, instead of those of all operations. */
  readonly identifiers?: IdentifierPlaces;
  readonly status?: number;
  readonly mode?: 'sync' | 'async';
}

/** The content of spec/profile.yaml, which documents each field. Durations and sizes are text. */
export interface Profile {
  readonly basePath: string;
  /** Files that change the API document before anything else does. */
  readonly overlays: readonly string[];
  readonly identifiers: IdentifierPlaces;
  readonly operations: Readonly<Record<string, OperationOverride>>;
  /** Statuses of the errors, by their kind. */
  readonly errors: Readonly<Record<ErrorName, number>> & {
    /** Default: that of `notFound`. */
    readonly unknownPath?: number;
  };
  /** Values of `code` in error bodies, by the kind of error. */
  readonly codes: Readonly<Partial<Record<ErrorName | 'unknownPath', string>>>;
  readonly required: Readonly<Record<'orders' | 'routes', readonly string[]>> & {
    readonly jobs: Readonly<Record<JobVariant, readonly string[]>>;
  };
  readonly duplicates: Readonly<Record<'jobs' | 'orders' | 'routes' | 'users', 'reject' | 'replace'>> & {
    /** Jobs that exist and are named by a route. */
    readonly routeJobs: 'attach' | 'replace' | 'reject';
  };
  readonly updates: { readonly nested: 'replace' | 'merge' };
  readonly regions: { readonly separate: boolean };
  readonly users: {
    readonly attendantAccess: 'required' | 'default';
    readonly withoutType: 'reject' | 'attendant' | 'driver';
  };
  readonly nulls: 'reject' | 'ignore';
  readonly transitions: Readonly<Record<'jobs' | 'orders', Transitions>>;
  readonly otherSubproject: 'warn' | 'reject';
  /** The maximum rate of requests to each project; a missing value means no maximum. */
  readonly rate?: { readonly requests: number; readonly per: string };
  readonly downstream: { readonly processing: string };
  /** Templates of `error`, `callback` and of results by operationId; `problem` stands for RFC 9457. */
  readonly bodies: Readonly<Record<string, unknown>>;
  readonly callbacks: {
    readonly timeout: string;
    readonly retries: readonly string[];
    readonly concurrency: number;
  } & CallbackSettings;
  /** Headers of all responses of the API. */
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<'entries' | 'depth' | 'values' | 'names' | 'journal', number>> & {
    readonly body: string;
    /** Limits of one project; a missing field means no limit. */
    readonly project: { readonly bytes?: string } & Readonly<Partial<Record<CountLimit, number>>>;
    /** Limits of an API key that does not have its own. */
    readonly key: { readonly projects: number };
  };
}

/** The variants of a job in a list: created, updated, or part of a route. */
export type JobVariant = 'create' | 'update' | 'inRoute';

/** The statuses that may follow a status. Any status may follow one that is not listed. */
export type Transitions = Readonly<Record<string, readonly string[]>>;

/** How callbacks are sent, and which entries they report. */
export interface CallbackSettings {
  readonly method: string;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signature: SignatureSetting;
  /** Whether each entry has a callback of its own. */
  readonly perEntry: boolean;
  /** Whether entries that were carried out are reported too. */
  readonly successes: boolean;
}

/** The signature of callbacks: Standard Webhooks, none, an HMAC in a header, or a header with the secret. */
export type SignatureSetting = 'standard-webhooks' | 'none' | HeaderSignature;

export interface HeaderSignature {
  readonly hmac?: 'sha1' | 'sha256' | 'sha512';
  readonly header: string;
  /** Value of the header. Default: `{hex}`. */
  readonly value?: string;
  /** The text that the HMAC is over. Default: `{body}`. */
  readonly over?: string;
}

type ErrorName =
  | 'invalid'
  | 'missingKey'
  | 'unknownKey'
  | 'foreignKey'
  | 'notFound'
  | 'unknownMethod'
  | 'duplicate'
  | 'tooLarge'
  | 'mediaType'
  | 'downstream'
  | 'limited';
type CountLimit = 'records' | 'pending' | 'scenarios' | 'waiting' | 'followers' | 'requestsPerSecond';

/**
 * Constraints on overrides of an operation: where it is, the parameters of its path, whether it can be asynchronous, and
 * the fields of its record that its result may show; undefined if the API's documentation shows the result.
 */
export interface OperationFacts {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly string[];
  /** Fields of its body. */
  readonly fields: readonly string[];
  readonly canBeAsync: boolean;
  readonly resultFields: readonly string[] | undefined;
}

/** The default profile. */
export const shippedProfile: Profile = document as Profile;

/** Returns the kind of problem that a key of `errors` or `codes` names. */
const toProblemKind = (name: string): ProblemKind => (name === 'mediaType' ? 'unsupportedType' : (name as ProblemKind));

/** Returns the values of `code` that a profile changes, by the default ones. */
export function toCodeNames(profile: Pick<Profile, 'codes'>): ReadonlyMap<string, string> {
  return new Map(Object.entries(profile.codes).map(([name, text]) => [String(codeOf(toProblemKind(name))), text]));
}

/** Returns the status of each kind of problem that a profile can change. */
export function toStatuses({ errors }: Pick<Profile, 'errors'>): Readonly<Partial<Record<ProblemKind, number>>> {
  const { unknownPath = errors.notFound, ...others } = errors;
  const named = Object.entries(others).map(([name, status]) => [toProblemKind(name), status]);
  return { ...Object.fromEntries(named), unknownPath };
}

const sizeUnits = { B: 1, kB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 } as const;

/** Syntax of a size in a profile. */
export const sizePattern: RegExp = /^(\d+)(B|kB|MB|GB)$/;

/** Converts a size such as `16MB` to bytes. The profile's schema has validated it. */
export function parseSize(text: string): number {
  const match = sizePattern.exec(text);
  return match ? Number(match[1]) * sizeUnits[match[2] as keyof typeof sizeUnits] : 0;
}
