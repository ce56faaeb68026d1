/** The profile: every answer to what the API's documentation does not show, as data; knows nothing of files. */
import document from '../../spec/profile.yaml';

/** Where an operation was moved to, and what it answers. */
export interface OperationOverride {
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly mode?: 'sync' | 'async';
}

/** What spec/profile.yaml holds, with the meanings that are written there. Durations and sizes are text. */
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
  readonly limits: { readonly entries: number; readonly body: string; readonly depth: number };
}

/** What a profile may do to an operation: which parameters its path must have, and whether it can be asynchronous. */
export interface OperationFacts {
  readonly parameters: readonly string[];
  readonly canBeAsync: boolean;
}

/** The profile that the sandbox ships with. */
export const shippedProfile: Profile = document as Profile;

const sizeUnits = { B: 1, kB: 1024, MB: 1024 ** 2 } as const;

/** What a size looks like in a profile. */
export const sizePattern: RegExp = /^(\d+)(B|kB|MB)$/;

/** A size such as `16MB` in bytes; the profile's schema has made sure that it is one. */
export function parseSize(text: string): number {
  const match = sizePattern.exec(text);
  return match ? Number(match[1]) * sizeUnits[match[2] as keyof typeof sizeUnits] : 0;
}
