/** Defines the input and output of actions: plain values, without clock, network or storage. */
import { truncate } from '../lib/format.ts';
import type { Json } from '../lib/json.ts';
import type { Cause, Warning } from '../lib/problem.ts';
import type { Profile } from '../openapi/profile/profile.ts';
import type { CollectionName, RecordReader, Write } from '../records/records.ts';

/** One record of a request: a job, order, user or location. */
export interface Entry {
  /** Number of the entry in the body, from 1, counted across all routes. Invalid entries have numbers too. */
  readonly item: number;
  readonly id: string;
  /** The fields as received, without unknown fields. */
  readonly value: Json;
  /** For a job of a route: the index of the route in `routes`. */
  readonly route?: number;
}

/** A route without its jobs. */
export interface RouteEntry {
  readonly id: string;
  readonly value: Json;
  /** Position of its failure among the failures of entries: just before its first job. */
  readonly order: number;
  /** Whether it was sent without jobs. */
  readonly isEmpty?: boolean;
}

/** What an action reads in addition to the records. Serialisable. */
export interface Command {
  /** The subproject in the URL. */
  readonly subProjectId?: string;
  readonly entries: readonly Entry[];
  readonly routes?: readonly RouteEntry[];
}

/** Rules of the API that a profile can set. */
export type EntryRules = Pick<Profile, 'duplicates' | 'updates' | 'users' | 'transitions' | 'otherSubproject'>;

/** What an accepted import that was not applied yet will store. An import that will fail has no values. */
export interface PendingImport {
  readonly entry: { readonly id: string; readonly value?: Json };
  /** The subproject in its URL. */
  readonly subProjectId?: string | undefined;
}

/** Settings that apply to all commands of a project. */
export interface ActionContext {
  /** The project's current time, as a timestamp. */
  readonly now: string;
  readonly rules: EntryRules;
  /** Whether unexpected input fails instead of causing a warning. */
  readonly strict: boolean;
  /** Returns the generated tracking id of a job or order that has none. */
  trackingId(collection: CollectionName, id: string): string;
  /** Returns the imports of a record that were accepted and not applied yet, in the order of their requests. */
  pendingImports(collection: CollectionName, id: string): readonly PendingImport[];
}

/** Kinds of failure that a client can distinguish if the response is a message. */
export type EntryFailureKind = 'notFound' | 'duplicate' | 'downstream';

/** An entry that failed downstream. */
export interface Failure {
  /** Position of the failure among the request's failures. */
  readonly order: number;
  readonly id: string;
  readonly kind: EntryFailureKind;
  readonly reason: string;
  readonly cause: Cause;
}

/** Result of an action. */
export interface ActionResult {
  readonly writes: readonly Write[];
  readonly failures: readonly Failure[];
  /** Warnings about entries that were applied although they are unexpected. */
  readonly warnings: readonly Warning[];
}

export const routeCause: Cause = { kind: 'route', place: '', text: 'its route failed' };

/** Returns the reason for a job whose route failed; `own` is the reason of the job itself, if it is invalid, too. */
export function toRouteReason(routeId: string, own?: string): string {
  const reason = routeId === '' ? 'its route failed' : `its route ${truncate(routeId)} failed`;
  return own === undefined ? reason : `${reason}; ${own}`;
}

/** Applies a command without side effects. Returns the writes and the failures. */
export type Action = (reads: RecordReader, command: Command, context: ActionContext) => ActionResult;

/** Names of single records, for messages. */
export const nouns: Readonly<Record<CollectionName, string>> = {
  jobs: 'job',
  orders: 'order',
  routes: 'route',
  users: 'user',
  devices: 'device',
};
