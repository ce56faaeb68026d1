/** What the rules of the domain are given and what they give back: plain values, no clock, no network, no storage. */
import type { Json } from '../base/json.ts';
import type { CollectionName, Reads, Write } from '../store/records.ts';

/** One record of a request: a job, order, user or location. */
export interface Entry {
  /** Its number in the body, from 1, through all routes. Invalid entries keep theirs. */
  readonly item: number;
  readonly id: string;
  /** The fields as they came, unknown ones left out. */
  readonly value: Json;
  /** For a job of a route: the route's place in `routes`. */
  readonly route?: number;
}

/** A route without its jobs. */
export interface RouteEntry {
  readonly id: string;
  readonly value: Json;
  /** Where its failure stands among those of entries: just before its first job. */
  readonly order: number;
}

/** All that an action reads, but for the records. Serialisable. */
export interface Task {
  /** The subproject that the URL names. */
  readonly subProjectId?: string;
  readonly entries: readonly Entry[];
  readonly routes?: readonly RouteEntry[];
}

/** What holds for every task of a project. */
export interface Setting {
  /** The project's now. */
  readonly now: string;
  /** What an import does with an id that exists. */
  readonly duplicates: 'reject' | 'replace';
  readonly attendantAccess: 'required' | 'default';
  /** Whether what is strange fails in place of being remarked upon. */
  readonly strict: boolean;
  /** The generated tracking id of a job or order that brings none. */
  trackingId(collection: CollectionName, id: string): string;
  /** Whether an accepted instruction that would create this record is still to be carried out. */
  isPending(collection: CollectionName, id: string): boolean;
}

/** Why an entry can't be: the kinds that a client can tell apart where the result is a message. */
export type FailureKind = 'notFound' | 'duplicate' | 'downstream';

/** An entry that failed downstream. */
export interface Failure {
  /** Its place among the failures of the request. */
  readonly order: number;
  readonly id: string;
  /** Set where a whole route failed: its place in the task's routes. */
  readonly route?: number;
  readonly kind: FailureKind;
  readonly reason: string;
}

/** What carrying a task out comes to. */
export interface Effects {
  readonly writes: readonly Write[];
  readonly failures: readonly Failure[];
  /** What was carried out and is still strange. */
  readonly warnings: readonly string[];
}

/** Carries a task out, purely: what is to be written and what failed. */
export type Action = (reads: Reads, task: Task, setting: Setting) => Effects;

/** What a record must be created or found as: the words for messages. */
export const nouns: Readonly<Record<CollectionName, string>> = {
  jobs: 'job',
  orders: 'order',
  routes: 'route',
  users: 'user',
  devices: 'device',
};
