/** Defines the profile: the settings for all details that the API's documentation leaves open. */
import document from '../../../spec/profile.yaml';
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
  readonly errors: Readonly<Record<ErrorName, number>>;
  readonly required: Readonly<Record<'orders' | 'routes', readonly string[]>> & {
    readonly jobs: Readonly<Record<JobVariant, readonly string[]>>;
  };
  readonly duplicates: Readonly<Record<'jobs' | 'orders' | 'routes' | 'users', 'reject' | 'replace'>>;
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
  readonly callbacks: { readonly timeout: string; readonly retries: readonly string[]; readonly concurrency: number };
  readonly limits: Readonly<Record<'entries' | 'depth' | 'values' | 'names' | 'journal', number>> & {
    readonly body: string;
    /** Limits of one project; a missing field means no limit. */
    readonly project: { readonly bytes?: string } & Readonly<Partial<Record<CountLimit, number>>>;
  };
}

/** The variants of a job in a list: created, updated, or part of a route. */
export type JobVariant = 'create' | 'update' | 'inRoute';

/** The statuses that may follow a status. Any status may follow one that is not listed. */
export type Transitions = Readonly<Record<string, readonly string[]>>;

type ErrorName = 'invalid' | 'missingKey' | 'unknownKey' | 'foreignKey' | 'notFound' | 'duplicate' | 'downstream';
type CountLimit = 'records' | 'pending' | 'scenarios' | 'waiting' | 'followers' | 'requestsPerSecond';

/** Constraints on overrides of an operation: where it is, the parameters of its path, whether it can be asynchronous. */
export interface OperationFacts {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly string[];
  readonly canBeAsync: boolean;
}

/** The default profile. */
export const shippedProfile: Profile = document as Profile;

const sizeUnits = { B: 1, kB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 } as const;

/** Syntax of a size in a profile. */
export const sizePattern: RegExp = /^(\d+)(B|kB|MB|GB)$/;

/** Converts a size such as `16MB` to bytes. The profile's schema has validated it. */
export function parseSize(text: string): number {
  const match = sizePattern.exec(text);
  return match ? Number(match[1]) * sizeUnits[match[2] as keyof typeof sizeUnits] : 0;
}
