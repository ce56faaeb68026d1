/** Lets a test control one project through the control API: scenarios, clock, callbacks, records, journal. */
import { randomUUID } from 'node:crypto';
import { toTimestamp } from '../../lib/time.ts';
import type { ControlClient } from '../control-client.ts';
import { readScenarios } from '../scenario-files.ts';
import type {
  ActiveScenarios,
  AdvanceView,
  CallbackEndpoint,
  ClockView,
  DeviceLocation,
  Duration,
  JobView,
  Order,
  RecordingView,
  ResetResult,
  RestoreResult,
  Route,
  ScenarioInput,
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
import { toDurationText } from './waiting.ts';

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
   * Ends the freeze: time passes by itself again, `rate` times as fast as real time (0.1 to 1000). Default: the rate of
   * the sandbox's option `clock`, or 1. Also changes the rate of a clock that is not frozen.
   */
  resume(rate?: number): Promise<ClockView>;
}

/** One project of a sandbox. Projects share no records, journal, callbacks, clock or scenarios. */
export interface TestProject {
  readonly id: string;
  /** The sandbox's base URL for clients, without a trailing slash. */
  readonly url: string;
  /** API key with access to the project. */
  readonly apiKey: string;
  /**
   * Replaces the project's active scenarios; without arguments, the project has none. The first scenario has the
   * highest priority. Each is a name, a file (`./outage.yaml`), an object, or a YAML text of several lines.
   */
  use(...scenarios: readonly (string | ScenarioInput)[]): Promise<ActiveScenarios>;
  readonly clock: ProjectClock;
  /** Sets the URL that callbacks are sent to, and the secret that signs them. Default: the published secret. */
  callbackEndpoint(url: string, secret?: string): Promise<CallbackEndpoint>;
  readonly requests: RequestList;
  readonly callbacks: CallbackList;
  readonly jobs: RecordList<JobView>;
  readonly orders: RecordList<Order>;
  readonly routes: RecordList<Route>;
  readonly users: RecordList<User>;
  /** Devices with their latest location; `get` returns the whole trail. */
  readonly locations: RecordList<DeviceLocation, Trail>;
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

type ProjectSource = Pick<ListSource, 'client' | 'wall'> & Pick<TestProject, 'id' | 'url' | 'apiKey'>;

/** Returns an id that no project has. */
export function createProjectId(): string {
  return `test-${randomUUID()}`;
}

export function createTestProject({ client, wall, id, url, apiKey }: ProjectSource): TestProject {
  const path = `/projects/${encodeURIComponent(id)}`;
  const source = { client, wall, path };
  return {
    id,
    url,
    apiKey,
    use: async (...given) => client.ask('PUT', `${path}/scenarios`, { scenarios: await readScenarios(given) }),
    clock: createProjectClock(client, path),
    callbackEndpoint: (endpoint, secret) =>
      client.ask('PUT', `${path}/callback-endpoint`, { url: endpoint, ...(secret !== undefined && { secret }) }),
    requests: createRequestList(source),
    callbacks: createCallbackList(source),
    jobs: createRecordList(source, 'jobs'),
    orders: createRecordList(source, 'orders'),
    routes: createRecordList(source, 'routes'),
    users: createRecordList(source, 'users'),
    locations: {
      list: createRecordList<DeviceLocation>(source, 'locations').list,
      get: (device) => readTrail(client, `${path}/locations/${encodeURIComponent(device)}`),
    },
    reset: () => client.ask('POST', `${path}/reset`),
    fork: async (to = createProjectId(), { atChange } = {}) => {
      await client.ask('POST', `${path}/fork`, { to, ...(atChange !== undefined && { atChange }) });
      return createTestProject({ client, wall, id: to, url, apiKey });
    },
    recording: () => client.ask('GET', `${path}/recording`),
    snapshot: () => client.ask('GET', `${path}/snapshot`),
    restore: (snapshot) => client.ask('PUT', `${path}/snapshot`, snapshot),
  };
}

async function readTrail(client: ControlClient, path: string): Promise<Trail> {
  const first = await client.page<Trail['items'][number]>(path);
  const { next, ...device } = first as typeof first & Trail;
  return { ...device, items: [...(await client.follow(path, {}, first))] };
}

function createProjectClock(client: ControlClient, path: string): ProjectClock {
  return {
    read: () => client.ask('GET', `${path}/clock`),
    freeze: (now) =>
      client.ask('PUT', `${path}/clock`, { mode: 'frozen', ...(now !== undefined && { now: toInstant(now) }) }),
    advance: (by) =>
      client.ask('POST', `${path}/clock/advance`, by === 'idle' ? { until: 'idle' } : { by: toDurationText(by) }),
    resume: (rate) => client.ask('PUT', `${path}/clock`, { mode: 'real', ...(rate !== undefined && { rate }) }),
  };
}

function toInstant(now: string | Date): string {
  return typeof now === 'string' ? now : toTimestamp(now.getTime());
}
