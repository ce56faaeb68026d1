/** What a request names, and what it or one of its deferred commands did to the records. */
import type { Cause } from '../lib/problem.ts';
import type { StoredRecord, Write } from './records.ts';

/** The ids of a request's entries. */
export interface NamedIds {
  /** In the order of the body, routes before all jobs; an empty text for an entry without an id. */
  readonly ids: readonly string[];
  /** For routes: the number of jobs of each. */
  readonly jobs?: readonly number[];
}

/** Returns the ids of the entries that rules count: those of the jobs of routes, not of the routes. */
export function toEntryIds({ ids, jobs = [] }: NamedIds): readonly string[] {
  return ids.slice(jobs.length);
}

/** The writes of one command, and what they replaced. */
export interface Replacement {
  readonly writes: readonly Write[];
  /** For each write: the record that was stored before, or null. Empty if there was none, and for locations. */
  readonly replaced: readonly (StoredRecord | null)[];
  /** Memory that only this keeps, in bytes: a record counts where it is stored, until another one replaces it. */
  readonly size: number;
}

export interface Applied extends Replacement {
  /** Time of the project's clock, in milliseconds. */
  readonly atMs: number;
  /** The entries that were not applied, in the order of the request. Those that a scenario lets fail have no cause. */
  readonly failed: readonly { readonly id: string; readonly reason: string; readonly cause?: Cause }[];
}

/** Of a command that writes nothing. */
export const nothingReplaced: Replacement = { writes: [], replaced: [], size: 0 };
