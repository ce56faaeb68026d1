/** A project's lists: its records, its journal, its callbacks; read whole, and waited for. */
import type { WallClock } from '../base/time.ts';
import type { ControlClient, Query } from './control-client.ts';
import { tellWhatCame, toWanted } from './missed.ts';
import type { Callback, CallbackState, CallbackType, JournalRequest } from './types.ts';
import { type Wait, waitForItems } from './waiting.ts';

/** Which records are meant. */
export interface RecordFilter {
  readonly status?: string;
  readonly subProjectId?: string;
}

/** One of a project's collections. */
export interface RecordList<Record, One = Record> {
  /** All of them, oldest first. */
  list(filter?: RecordFilter): Promise<readonly Record[]>;
  /** One of them. Fails where there is none of this id. */
  get(id: string): Promise<One>;
}

/** Which requests are meant. */
export interface RequestFilter {
  /** By operationId, such as `asyncImportJobs`. */
  readonly operation?: string;
  /** By the HTTP status of the answer. */
  readonly status?: number;
  /** By a record that they named: `jobs/J-1`. */
  readonly record?: string;
  /** Only those after the request of this id. */
  readonly since?: string;
}

/** A project's journal. */
export interface RequestList {
  /** All requests that match, oldest first. */
  list(filter?: RequestFilter): Promise<readonly JournalRequest[]>;
  /** One request, by the `x-request-id` of its answer. */
  get(id: string): Promise<JournalRequest>;
  /** All requests that match, once there are `count`. Fails with what came instead. */
  waitFor(wanted?: RequestFilter & Wait): Promise<readonly JournalRequest[]>;
}

/** Which callbacks are meant. */
export interface CallbackFilter {
  readonly type?: CallbackType;
  readonly state?: CallbackState;
  /** Only those after the callback of this id. */
  readonly since?: string;
}

/** A project's callbacks: those that are to be sent, those that were, and those of the inbox. */
export interface CallbackList {
  /** All callbacks that match, oldest first. */
  list(filter?: CallbackFilter): Promise<readonly Callback[]>;
  /** One callback, by its `webhook-id`. */
  get(id: string): Promise<Callback>;
  /** All callbacks that match, once there are `count`. Fails with what came instead. */
  waitFor(wanted?: CallbackFilter & Wait): Promise<readonly Callback[]>;
}

/** Where the lists are. */
export interface ListSource {
  readonly client: ControlClient;
  readonly wall: WallClock;
  /** The project's path. */
  readonly path: string;
}

export function createRecordList<Record>({ client, path }: ListSource, name: string): RecordList<Record> {
  return {
    list: (filter = {}) => client.list(`${path}/${name}`, { ...filter }),
    get: (id) => client.ask('GET', `${path}/${name}/${encodeURIComponent(id)}`),
  };
}

export function createRequestList(source: ListSource): RequestList {
  return createWaitingList<JournalRequest, RequestFilter>(source, 'request');
}

export function createCallbackList(source: ListSource): CallbackList {
  return createWaitingList<Callback, CallbackFilter>(source, 'callback');
}

function createWaitingList<Item, Filter extends object>({ client, wall, path }: ListSource, noun: string) {
  const listPath = `${path}/${noun}s`;

  function waitFor(wanted?: Filter & Wait): Promise<readonly Item[]> {
    const { count, timeout, ...filter }: Query & Wait = { ...wanted };
    return waitForItems({
      ...{ client, wall, path: listPath, filter },
      wait: { ...(count !== undefined && { count }), ...(timeout !== undefined && { timeout }) },
      explain: async (most) => toWanted(noun, most, filter) + (await tellWhatCame(client, path, noun === 'callback')),
    });
  }

  return {
    list: (filter?: Filter): Promise<readonly Item[]> => client.list(listPath, { ...filter }),
    get: (id: string): Promise<Item> => client.ask('GET', `${listPath}/${encodeURIComponent(id)}`),
    waitFor,
  };
}
