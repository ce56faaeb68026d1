/** Lets a test control one project through the control API: scenarios, clock, callbacks, records, journal. */
import { randomUUID } from 'node:crypto';
import { isDate } from 'node:util/types';
import { toFailed } from '../../callbacks/callback.ts';
import { toProjectPath } from '../../client/client.ts';
import { parseRate } from '../../lib/clock.ts';
import { toTimestamp } from '../../lib/time.ts';
import type { ControlClient } from '../control-client.ts';
import { withChecks } from '../methods.ts';
import { type CallbackListener, type ListenOptions, listenTo } from '../receiver/callback-listener.ts';
import type { AnswerChoice } from '../receiver/callback-receiver.ts';
import type {
  AdvanceView,
  CallbackTypeName,
  CallbackView,
  ClockView,
  DeviceLocation,
  Duration,
  JobView,
  OperationName,
  Order,
  RecordingView,
  ResetResult,
  RestoreResult,
  Route,
  SnapshotView,
  Trail,
  User,
} from '../types.ts';
import {
  type CallbackList,
  createCallbackList,
  createRecordList,
  createRequestList,
  type ListSource,
  type RecordList,
  type RequestList,
} from './lists.ts';
import { createProjectRules, type ProjectRules } from './rules.ts';
import { type RequestBody, type ResponseBody, type SendOptions, type SentResponse, sendRequest } from './send.ts';
import { checkDuration } from './waiting.ts';

/** A project's clock. While it is frozen, nothing happens after a response until the clock is advanced. */
export interface ProjectClock {
  /** Returns the clock's mode, rate and time. */
  read(): Promise<ClockView>;
  /** Freezes the clock at its current time, or at a later time `now`. */
  freeze(now?: string | Date): Promise<ClockView>;
  /**
   * Advances the clock immediately, and resolves when everything that was due by then has happened. `'idle'` advances
   * until nothing is pending, by 24 hours at most.
   */
  advance(by: Duration | 'idle'): Promise<AdvanceView>;
  /**
   * Ends the freeze: time passes by itself again, `rate` times as fast as real time (0.1 to 1000), such as `20` or `'20x'`.
   * Default: the rate of the sandbox's option `clock`, or 1. Also changes the rate of a clock that is not frozen.
   */
  resume(rate?: number | string): Promise<ClockView>;
}

/** What a triggered callback reports, and how it is sent. */
export interface TriggerOptions {
  /** Ids of the entries that it reports. Default: a made-up one. */
  readonly ids?: string | readonly string[];
  /** Why they failed. Default: a made-up reason. */
  readonly reason?: string;
  /** The operation that it names. Default: the first asynchronous one with callbacks of this type. */
  readonly operation?: OperationName;
  /** Fields to add to `data` of the payload, or to replace there. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** `invalid`: signed with another secret; `missing`: not signed; `stale`: signed an hour ago. */
  readonly forge?: 'invalid' | 'missing' | 'stale';
  /** Total number of deliveries, all with the same id. */
  readonly copies?: number;
}

/** One project of a sandbox. Projects share no records, journal, callbacks, clock or scenarios. */
export interface TestProject extends ProjectRules {
  readonly id: string;
  /** The sandbox's base URL for clients, without a trailing slash. */
  readonly url: string;
  /** API key with access to the project. */
  readonly apiKey: string;
  /** Headers that give a client access to the project. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Sends a request of the API: to the path that the sandbox's profile has, with the key, for this project. Waits for the
   * response without a time limit.
   * @throws SandboxError if a parameter is missing, or if the connection breaks before a response
   */
  send<Id extends OperationName>(
    operation: Id,
    body: RequestBody<Id>,
    options?: SendOptions,
  ): Promise<SentResponse<ResponseBody<Id>>>;
  /** Makes a callback without a request, and sends it at once, also on a frozen clock. No record changes. */
  trigger(type: CallbackTypeName, options?: TriggerOptions): Promise<CallbackView>;
  readonly clock: ProjectClock;
  readonly requests: RequestList;
  readonly callbacks: CallbackList;
  readonly jobs: RecordList<JobView>;
  readonly orders: RecordList<Order>;
  readonly routes: RecordList<Route>;
  readonly users: RecordList<User>;
  /** Devices with their latest location; `get` returns the whole trail. */
  readonly locations: RecordList<DeviceLocation, Trail>;
  /**
   * Receives the project's callbacks over the connection to the sandbox, without a port of this machine: the sandbox sends
   * them here in place of a callback URL, and what `handler` responds counts. Default: 200. A project has one listener,
   * which a reset of the project ends.
   * @throws SandboxError if the project has a listener, unless `takeover` is set
   */
  listen(handler?: AnswerChoice, options?: ListenOptions): Promise<CallbackListener>;
  /** Resets the project to its initial state. Nothing from before the reset can arrive later. */
  reset(): Promise<ResetResult>;
  /**
   * Creates a project that is a copy of this one: records, clock, pending work, scenarios and counts, without the journal
   * and the callback endpoint. `id`: by default a new one. `atChange`: copies the project as it was after this change,
   * such as the `change` of a request.
   * @throws SandboxError if a project with this id exists, or if the journal has dropped changes that `atChange` needs
   */
  fork(id?: string, options?: { readonly atChange?: number }): Promise<TestProject>;
  /** Returns all records of the project. */
  snapshot(): Promise<SnapshotView>;
  /** Returns everything that has changed the project, for `field-sandbox replay`. */
  recording(): Promise<RecordingView>;
  /** Replaces the project's records with those of the snapshot, and cancels all pending work. */
  restore(snapshot: SnapshotView): Promise<RestoreResult>;
}

type Actions = Pick<
  TestProject,
  'send' | 'trigger' | 'listen' | 'reset' | 'fork' | 'recording' | 'snapshot' | 'restore'
>;
type ProjectSource = Pick<ListSource, 'client' | 'wall'> & Pick<TestProject, 'id' | 'url' | 'apiKey'>;

/** Returns an id that no project has. */
export function createProjectId(): string {
  return `test-${randomUUID()}`;
}

export function createTestProject({ client, wall, id, url, apiKey }: ProjectSource): TestProject {
  const path = toProjectPath(id);
  const source = { client, wall, path };
  const headers = { apikey: apiKey };
  return {
    id,
    url,
    apiKey,
    headers,
    ...createProjectRules(client, path),
    ...withChecks<Actions>('', {
      send: (...given) => sendRequest({ client, url, project: id, headers }, ...given),
      trigger: (type, { ids, reason, ...others } = {}) =>
        client.ask('POST', `${path}/callbacks`, { type, ...toFailed(ids, reason), ...others }),
      listen: (...given) => listenTo({ client, wall, project: id }, ...given),
      reset: () => client.ask('POST', `${path}/reset`),
      fork: async (to = createProjectId(), { atChange } = {}) => {
        await client.ask('POST', `${path}/fork`, { to, atChange });
        return createTestProject({ client, wall, id: to, url, apiKey });
      },
      recording: () => client.ask('GET', `${path}/recording`),
      snapshot: () => client.ask('GET', `${path}/snapshot`),
      restore: (snapshot) => client.ask('PUT', `${path}/snapshot`, snapshot),
    }),
    clock: createProjectClock(client, path),
    requests: createRequestList(source),
    callbacks: createCallbackList(source),
    jobs: createRecordList(source, 'jobs'),
    orders: createRecordList(source, 'orders'),
    routes: createRecordList(source, 'routes'),
    users: createRecordList(source, 'users'),
    locations: createRecordList<DeviceLocation, Trail>(source, 'locations', (at) => readTrail(client, at)),
  };
}

async function readTrail(client: ControlClient, path: string): Promise<Trail> {
  const { next, ...trail } = await client.ask<Trail>('GET', path);
  return next === undefined ? trail : { ...trail, items: [...(await client.list<Trail['items'][number]>(path))] };
}

function createProjectClock(client: ControlClient, path: string): ProjectClock {
  const at = `${path}/clock`;
  return withChecks<ProjectClock>('clock.', {
    read: () => client.ask('GET', at),
    freeze: (now) => client.ask('PUT', at, { mode: 'frozen', now: isDate(now) ? toTimestamp(now.getTime()) : now }),
    advance: (by) => client.ask('POST', `${at}/advance`, toAdvance(by)),
    resume: (rate) => {
      return client.ask('PUT', at, { mode: 'real', rate: typeof rate === 'string' ? parseRate(rate) : rate });
    },
  });
}

function toAdvance(by: Duration | 'idle'): object {
  return by === 'idle' ? { until: 'idle' } : { by: checkDuration('', by, 'a duration or "idle"', ['idle']) };
}
