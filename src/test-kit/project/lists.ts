/** Lists a project's records, requests and callbacks, and waits for new ones. */
import { type Query, toQuery } from '../../client/client.ts';
import { formatCount } from '../../lib/format.ts';
import type { WallClock } from '../../lib/time.ts';
import type { ControlClient } from '../control-client.ts';
import { mistakeAt, show, withChecks } from '../methods.ts';
import { SandboxError } from '../sandbox-error.ts';
import type {
  CallbackEndpoint,
  CallbackStateName,
  CallbackTypeName,
  CallbackView,
  JournalRequest,
  OperationName,
} from '../types.ts';
import { describeReceived } from './describe-received.ts';
import { checkWait, maxCount, toWords, type Wait } from './waiting.ts';

/** Filter for records. */
export interface RecordFilter {
  readonly status?: string;
  readonly subProjectId?: string;
}

/** One collection of a project's records. */
export interface RecordList<Record, One = Record> {
  /** Returns all records that match, oldest first. */
  list(filter?: RecordFilter): Promise<readonly Record[]>;
  /** Returns one record. @throws SandboxError if no record has this id */
  get(id: string): Promise<One>;
}

/** An HTTP status, or a class of statuses. */
export type ResponseStatus = number | '1xx' | '2xx' | '3xx' | '4xx' | '5xx';

/** Filter for requests. */
export interface RequestFilter {
  /** The operationId, such as `asyncImportJobs`. */
  readonly operation?: OperationName;
  /** HTTP status of the response, a class such as `4xx`, or a list of them. */
  readonly status?: ResponseStatus | readonly ResponseStatus[];
  /** A record that the request named, such as `jobs/J-1`. */
  readonly record?: string;
  /** Trace id of the `traceparent` of requests. */
  readonly trace?: string;
  /** Id of a request: only later requests match. */
  readonly since?: string;
  /**
   * Whether to include requests that name the project and did not reach it: without a key, with a wrong one, or with a
   * path of no operation. Default: false.
   */
  readonly strays?: boolean;
}

/** A project's journal of requests. */
export interface RequestList {
  /** Returns all requests that match, oldest first. */
  list(filter?: RequestFilter): Promise<readonly JournalRequest[]>;
  /** Returns one request by the `x-request-id` of its response. @throws SandboxError if no request has this id */
  get(id: string): Promise<JournalRequest>;
  /**
   * Waits until `count` requests match, then returns all requests that match.
   * @throws SandboxError after `timeout`; its message lists the requests received instead
   */
  waitFor(filter?: RequestFilter & Wait): Promise<readonly JournalRequest[]>;
}

/** Filter for callbacks. */
export interface CallbackFilter {
  readonly type?: CallbackTypeName;
  readonly state?: CallbackStateName;
  /** Id of an entry that the callback reports, or several. */
  readonly entry?: string | readonly string[];
  /** Trace id of the request. */
  readonly trace?: string;
  /** Id of a callback: only later callbacks match. */
  readonly since?: string;
}

/** Where callbacks are sent to: a receiver, or its address as a text or a `URL`. */
export type CallbackTarget = string | { readonly url: string } | { readonly href: string };

/** A project's callbacks: scheduled, sent, and in the inbox. */
export interface CallbackList {
  /**
   * Sends the callbacks from now on to a receiver, signed with `secret`, by default the published one. Null: stores them
   * in the inbox.
   */
  sendTo(target: CallbackTarget | null, options?: { readonly secret?: string | undefined }): Promise<CallbackEndpoint>;
  /** Returns all callbacks that match, oldest first. */
  list(filter?: CallbackFilter): Promise<readonly CallbackView[]>;
  /** Returns one callback by its `webhook-id`. @throws SandboxError if no callback has this id */
  get(id: string): Promise<CallbackView>;
  /**
   * Waits until `count` callbacks match, then returns all callbacks that match.
   * @throws SandboxError after `timeout`; its message lists the callbacks and requests found instead
   */
  waitFor(filter?: CallbackFilter & Wait): Promise<readonly CallbackView[]>;
}

/** The project whose lists are read, and how to reach it. */
export interface ListSource {
  readonly client: ControlClient;
  readonly wall: WallClock;
  /** Path of the project in the control API, such as `/projects/p-1`. */
  readonly path: string;
}

/** `read`: reads one record at a path of the control API. */
export function createRecordList<Record, One = Record>(
  { client, path }: ListSource,
  name: string,
  read: (at: string) => Promise<One> = (at) => client.ask('GET', at),
): RecordList<Record, One> {
  return withChecks<RecordList<Record, One>>(`${name}.`, {
    list: (filter) => client.list(`${path}/${name}`, { ...filter }),
    get: (id) => read(`${path}/${name}/${encodeURIComponent(id)}`),
  });
}

export function createRequestList(source: ListSource): RequestList {
  return createWaitingList<JournalRequest, RequestFilter>(source, 'request', { strays: false });
}

export function createCallbackList(source: ListSource): CallbackList {
  const { client, path } = source;
  const at = `${path}/callback-endpoint`;

  async function sendTo(
    target: CallbackTarget | null,
    { secret }: { readonly secret?: string | undefined } = {},
  ): Promise<CallbackEndpoint> {
    if (target !== null) {
      const url: unknown = Object(target).url ?? Object(target).href ?? target;
      if (typeof url !== 'string')
        throw mistakeAt('', `expected a receiver, a URL, or null for the inbox, got ${show(target)}`);
      return client.ask('PUT', at, { url, ...(secret !== undefined && { secret }) });
    }
    await client.ask('DELETE', at);
    const endpoint = await client.ask<CallbackEndpoint>('GET', at);
    // The sandbox has an address for all projects, which is not used here.
    return endpoint.url === null ? endpoint : client.ask('PUT', at, { url: endpoint.url, disabled: true });
  }

  return {
    ...createWaitingList<CallbackView, CallbackFilter>(source, 'callback', {}),
    ...withChecks('callbacks.', { sendTo }),
  };
}

/** Maximum duration of one request: proxies close connections that are idle for longer. */
const maxAskMs = 30_000;

interface WaitPage<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
  readonly satisfied: boolean;
}

function createWaitingList<Item, Filter extends object>(
  { client, wall, path }: ListSource,
  noun: string,
  defaults: Query,
) {
  const toFilter = ({ entry, ...given }: Query): Query => ({
    ...defaults,
    ...given,
    ...(entry !== undefined && { entity: entry }),
  });
  const listPath = `${path}/${noun}s`;

  /** Waits by long polling: the sandbox responds when enough items match. */
  async function waitFor(options?: Filter & Wait): Promise<readonly Item[]> {
    const { count: _count, timeout: _timeout, ...given }: Query & Wait = { ...options };
    const own = Object.keys(given).find((name) => name === 'min' || name === 'await');
    if (own !== undefined) throw mistakeAt('', `unknown ${show(own)}; expected count and timeout`);
    const { count, timeoutMs } = checkWait({ ...options });
    const filter = toFilter(given);
    const endMs = wall.elapsed() + timeoutMs;
    for (;;) {
      const leftMs = Math.max(0, Math.ceil(endMs - wall.elapsed()));
      const query = { ...filter, limit: maxCount, await: `${Math.min(leftMs, maxAskMs)}ms`, min: count };
      const { items, next, satisfied } = await client.ask<WaitPage<Item>>('GET', listPath + toQuery(query));
      if (satisfied) return next === undefined ? items : client.list(listPath, filter);
      // A reset of the project ends the request early, so wait again for the remaining time.
      if (wall.elapsed() >= endMs) break;
    }
    const conditions = Object.entries(given).filter(([, value]) => value !== undefined);
    const filtered = conditions.map(([name, value]) => `${name} ${value}`).join(', ');
    const missing = formatCount(count, noun) + (filtered && ` with ${filtered}`);
    const received = await describeReceived(client, path, noun === 'callback');
    throw new SandboxError(`waited ${toWords(timeoutMs)} for ${missing}${received}`, { code: 'timeout' });
  }

  return withChecks(`${noun}s.`, {
    list: (filter?: Filter): Promise<readonly Item[]> => client.list(listPath, toFilter({ ...filter })),
    get: (id: string): Promise<Item> => client.ask('GET', `${listPath}/${encodeURIComponent(id)}`),
    waitFor,
  });
}
