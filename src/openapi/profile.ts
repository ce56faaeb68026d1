/** Defines the profile: the settings for all details that the API's documentation leaves open. */
import document from '../../spec/profile.yaml';

/** Method, path, success status and mode of an operation, if they differ from the document. */
export interface OperationOverride {
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly mode?: 'sync' | 'async';
}

/** Limits of one project; a missing field means no limit. */
interface ProjectLimitsOfProfile {
  readonly records?: number;
  readonly bytes?: string;
  readonly pending?: number;
  readonly scenarios?: number;
  readonly waiting?: number;
  readonly followers?: number;
  readonly requestsPerSecond?: number;
}

/** The content of spec/profile.yaml, which documents each field. Durations and sizes are text. */
export interface Profile {
  readonly basePath: string;
  readonly operations: Readonly<Record<string, OperationOverride>>;
  readonly errors: {
    readonly invalid: number;
    readonly missingKey: number;
    readonly unknownKey: number;
    readonly foreignKey: number;
    readonly notFound: number;
    readonly duplicate: number;
    readonly downstream: number;
  };
  readonly required: {
    readonly jobs: readonly string[];
    readonly orders: readonly string[];
    readonly routes: readonly string[];
  };
  readonly duplicates: 'reject' | 'replace';
  readonly users: { readonly attendantAccess: 'required' | 'default' };
  readonly downstream: { readonly processing: string };
  readonly callbacks: { readonly timeout: string; readonly retries: readonly string[]; readonly concurrency: number };
  readonly limits: {
    readonly entries: number;
    readonly body: string;
    readonly depth: number;
    readonly values: number;
    readonly names: number;
    readonly project: ProjectLimitsOfProfile;
  };
}

/** Constraints on overrides of an operation: the parameters its path must have, and whether it can be asynchronous. */
export interface OperationFacts {
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
