/** Creates the parts of a replica: what all replicas share, what this one owns, and what goes on between requests. */
import type { Endpoint } from '../callbacks/callback.ts';
import type { ControlParts } from '../control-api/handler.ts';
import type { Control } from '../control-api/index.ts';
import type { Pipeline } from '../http/pipeline.ts';
import { fromItemText } from '../journal/stored-entry.ts';
import type { KeyStore, StoredKey } from '../keys/key-store.ts';
import type { ClusterConnection, ConnectParts } from './connect.ts';
import { createDispatch, type Dispatch } from './dispatch.ts';
import { createPlacement, type Placement } from './placement.ts';
import { createSharedValue, type SharedValue } from './shared-value.ts';
import { createOwnedStore, type OwnedStore } from './store/owned-store.ts';
import { createUpkeep, type Upkeep } from './upkeep.ts';
import { type AskOthers, createAskOthers } from './wide/ask-others.ts';
import { createWide, type RunningControl, type Wide } from './wide/index.ts';
import {
  type Activation,
  createSharedScenarios,
  noActivation,
  type SharedLibrary,
  type SharedScenarios,
} from './wide/shared-scenarios.ts';

/** What a replica runs requests with. */
export interface Handlers {
  readonly api: Pick<Pipeline, 'applyHere'>;
  control(): Promise<Control>;
}

/** What a replica has only once it runs. */
export interface Late {
  handlers: Handlers | undefined;
  control: ControlParts | undefined;
}

export interface ClusterParts {
  readonly connection: ClusterConnection;
  readonly late: Late;
  /** Returns what this replica has once it runs. */
  running(): RunningControl;
  /** Values that are the same at all replicas. */
  readonly shared: readonly Pick<SharedValue<unknown>, 'key' | 'refresh'>[];
  readonly scenarios: SharedScenarios;
  readonly store: OwnedStore;
  readonly placement: Placement;
  readonly dispatch: Dispatch;
  readonly wide: Wide;
  readonly upkeep: Upkeep;
}

export interface OpenParts extends ConnectParts {
  readonly endpoint: Endpoint | undefined;
}

export async function createClusterParts(
  { endpoint, wall }: OpenParts,
  connection: ClusterConnection,
): Promise<ClusterParts> {
  const { database, membership, client, warn, reportError } = connection;
  const late: Late = { handlers: undefined, control: undefined };
  const ask = createAskOthers({ membership, client, wall });
  const { keys, scenarios, shared } = await createShared(connection, ask);
  const { store, placement } = createOwnership({ ...connection, endpoint, wall, keys, late });
  const dispatch = createDispatch({ membership, placement, store, client, wall });
  const running = (): RunningControl => ({
    control: late.control as ControlParts,
    loaded: (late.handlers as Handlers).control,
  });
  const wide = createWide(
    { database, membership, placement, dispatch, store, client, ask, shared, scenarios, wall },
    running,
  );
  membership.onFenced(() => {
    warn('the other servers have taken over the projects of this one, which joins again');
    for (const project of store.owned()) store.lose(project);
  });
  const upkeep = createUpkeep({
    ...{ database, membership, placement, store, client, shared, wall, reportError },
  });
  return { connection, late, running, shared, scenarios, store, placement, dispatch, wide, upkeep };
}

/** Reads the values that are the same at all replicas. */
async function createShared(
  { database }: ClusterConnection,
  ask: AskOthers,
): Promise<Pick<ClusterParts, 'shared' | 'scenarios'> & { readonly keys: KeyStore }> {
  const share = <Value>(key: string, initial: Value): SharedValue<Value> =>
    createSharedValue<Value>({ key, initial, database, tell: () => ask({ about: 'refresh', key }) });
  const keys = share<readonly StoredKey[]>('keys', []);
  const library = share<SharedLibrary>('library', {});
  const activation = share<Activation>('server-scenarios', noActivation);
  const scenarios = createSharedScenarios({ library, activation });
  const shared = [keys, library, activation];
  await Promise.all(shared.map((one) => one.refresh()));
  return { keys: toKeyStore(keys), scenarios, shared };
}

function toKeyStore(keys: SharedValue<readonly StoredKey[]>): KeyStore {
  return {
    load: () => Promise.resolve(keys.current()),
    update: keys.update,
    onChange: (listener) => void keys.onChange(listener),
  };
}

interface OwnershipParts extends Pick<ClusterConnection, 'database' | 'membership' | 'warn' | 'reportError'> {
  readonly endpoint: Endpoint | undefined;
  readonly wall: OpenParts['wall'];
  readonly keys: KeyStore;
  readonly late: Late;
}

/** Creates the store of this replica's projects, and what claims projects and gives them up. */
function createOwnership(parts: OwnershipParts): Pick<ClusterParts, 'store' | 'placement'> {
  const { database, membership, endpoint, keys, wall, warn, reportError, late } = parts;
  const store = createOwnedStore({
    ...{ database, endpoint, keys, wall, warn },
    oldestItem: (project) => late.control?.journal.oldest(project),
    onLost: (project) => late.control?.projects.lose(project),
    onIdle: (project, released) => placement.giveUp(project, released),
  });
  const placement = createPlacement({
    ...{ database, membership, store, reportError },
    restoreJournal: (project, items) => late.control && restoreJournal(late.control, project, items),
    dropJournal: (project) => late.control?.journal.drop(project),
  });
  return { store, placement };
}

/** Adds what was written of a project's journal. An item that was written again is there once, as it was last. */
function restoreJournal({ journal, coverage }: ControlParts, project: string, texts: readonly string[]): void {
  const written = texts.flatMap((text) => text.trimEnd().split('\n').map(fromItemText));
  const items = [...new Map(written.map((item) => [item.number, item])).values()].toSorted(
    (a, b) => a.number - b.number,
  );
  journal.restore(project, items);
  for (const item of items) if ('request' in item) coverage.request(item.request);
}
