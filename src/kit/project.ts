/** One project of a sandbox as a test steers it: scenarios, clock, callbacks, records, journal; all by the control API. */
import type { WallClock } from '../base/time.ts';
import type { ControlClient } from './control-client.ts';
import {
  type CallbackList,
  createCallbackList,
  createRecordList,
  createRequestList,
  type RecordList,
  type RequestList,
} from './lists.ts';
import { createProjectClock, type ProjectClock } from './project-clock.ts';
import { readGiven } from './scenario-files.ts';
import type {
  ActiveScenarios,
  CallbackEndpoint,
  DeviceLocation,
  Job,
  Order,
  ResetResult,
  RestoreResult,
  Route,
  Scenario,
  Snapshot,
  Trail,
  User,
} from './types.ts';

/** A world of its own: records, journal, callbacks, clock and scenarios are shared with no other project. */
export interface Project {
  readonly id: string;
  /** The sandbox's base address, without a trailing slash: what a client is to be given. */
  readonly url: string;
  /** A key that opens it. */
  readonly apiKey: string;
  /**
   * Switches these scenarios on, the first before the others, in place of those before; none switches all off. Each is
   * a name, a file (`./outage.yaml`) or a scenario written out.
   */
  use(...scenarios: readonly (string | Scenario)[]): Promise<ActiveScenarios>;
  readonly clock: ProjectClock;
  /** Has callbacks sent there, signed with the secret; usually the published one. */
  callbackEndpoint(url: string, secret?: string): Promise<CallbackEndpoint>;
  readonly requests: RequestList;
  readonly callbacks: CallbackList;
  readonly jobs: RecordList<Job>;
  readonly orders: RecordList<Order>;
  readonly routes: RecordList<Route>;
  readonly users: RecordList<User>;
  /** Devices with their latest location; `get` has the whole trail. */
  readonly locations: RecordList<DeviceLocation, Trail>;
  /** Gives it back as new; nothing of before can arrive later. */
  reset(): Promise<ResetResult>;
  /** All its records. */
  snapshot(): Promise<Snapshot>;
  /** Puts these records in place of its own, and cancels what is pending. */
  restore(snapshot: Snapshot): Promise<RestoreResult>;
}

/** Where a project is. */
export interface ProjectSource {
  readonly client: ControlClient;
  readonly wall: WallClock;
  readonly id: string;
  readonly url: string;
  readonly apiKey: string;
}

export function createProject({ client, wall, id, url, apiKey }: ProjectSource): Project {
  const path = `/projects/${encodeURIComponent(id)}`;
  const source = { client, wall, path };
  return {
    id,
    url,
    apiKey,
    use: async (...given) => client.ask('PUT', `${path}/scenarios`, { scenarios: await readGiven(given) }),
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
    snapshot: () => client.ask('GET', `${path}/snapshot`),
    restore: (snapshot) => client.ask('PUT', `${path}/snapshot`, snapshot),
  };
}

async function readTrail(client: ControlClient, path: string): Promise<Trail> {
  const first = await client.page<Trail['items'][number]>(path);
  const { next, ...device } = first as typeof first & Trail;
  return { ...device, items: [...(await client.follow(path, {}, first))] };
}
