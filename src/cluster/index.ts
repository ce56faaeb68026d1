/** Makes this server one of several replicas that share their projects in a PostgreSQL database. */
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Endpoint } from '../callbacks/callback.ts';
import type { ControlParts, ControlPlacement } from '../control-api/handler.ts';
import type { Control } from '../control-api/index.ts';
import { saveSummary } from '../control-api/saved-summary.ts';
import type { RequestPlacement } from '../http/placement.ts';
import { type Reply, toControlProblemReply } from '../http/reply.ts';
import type { RequestHandler } from '../http/request-handler.ts';
import type { ShareCertificate } from '../http/tls/certificate.ts';
import { isByGlob, toPatterns } from '../keys/api-key.ts';
import type { KeyStore, StoredKey } from '../keys/key-store.ts';
import type { ProjectStore } from '../project/persistence/project-store.ts';
import { createArrivals } from './arrivals.ts';
import { type ConnectParts, connectCluster } from './connect.ts';
import { createDispatch, type Sending } from './dispatch.ts';
import {
  applyHere,
  type ForwardedApi,
  type ForwardedControl,
  toApiCall,
  toControlCall,
  toProblem,
} from './forwarded.ts';
import { createJournalKeeper, type JournalKeeper } from './journal-keeper.ts';
import { createPlacement } from './placement.ts';
import { createShareCertificate } from './shared-certificate.ts';
import { createSharedValue, type SharedValue } from './shared-value.ts';
import { createOwnedStore } from './store/owned-store.ts';
import { realSurroundings, type Surroundings } from './surroundings.ts';
import type { MessageKind } from './transport/peer-client.ts';
import type { PeerRequest } from './transport/peer-server.ts';
import { createUpkeep } from './upkeep.ts';
import { createWide } from './wide/index.ts';
import { toForwarded } from './wide/question.ts';
import { type Activation, createSharedScenarios, noActivation, type SharedLibrary } from './wide/shared-scenarios.ts';

/** What a replica runs requests with. */
export interface Handlers {
  readonly api: Pick<RequestHandler, 'applyHere'>;
  control(): Promise<Control>;
}

export interface Cluster {
  readonly store: ProjectStore;
  readonly placement: RequestPlacement;
  readonly controlPlacement: ControlPlacement;
  readonly shareCertificate: ShareCertificate;
  /** Identifies this server in ids that must not repeat at the others. */
  readonly origin: string;
  /** Applies what the servers share, before the first request. */
  prepare(control: ControlParts): Promise<void>;
  /** Begins to handle requests of the other replicas, and to take projects over. */
  start(handlers: Handlers): void;
  /** Whether this replica has reached its database during the last lease. */
  isConnected(): boolean;
  /**
   * Hands all projects over. Requests that arrive here go on to be handled, elsewhere. With `drains`, waits until load
   * balancers send no more requests here.
   */
  leave(drains: boolean): Promise<void>;
  close(): Promise<void>;
}

interface Parts extends ConnectParts {
  readonly endpoint: Endpoint | undefined;
}

/**
 * Connects to the database and joins the other replicas.
 * @throws ConfigError if the database refuses, or if the other replicas have other settings
 */
export async function openCluster(parts: Parts, surroundings: Surroundings = realSurroundings): Promise<Cluster> {
  const { endpoint, wall } = parts;
  const connection = await connectCluster(parts, surroundings);
  const { database, membership, client, warn, reportError } = connection;
  let handlers: Handlers | undefined;
  let control: ControlParts | undefined;
  const arrivals = createArrivals(wall);
  const moves = new EventEmitter<{ moved: [project: string] }>().setMaxListeners(0);
  const share = <Value>(key: string, initial: Value): SharedValue<Value> =>
    createSharedValue<Value>({
      ...{ key, initial, database, wall, listOthers: membership.listOthers },
      ask: async ({ url }, name) => (await client.send(url, 'refresh', { key: name }, '')).kind === 'reply',
    });
  const keys = share<readonly StoredKey[]>('keys', []);
  const library = share<SharedLibrary>('library', {});
  const activation = share<Activation>('server-scenarios', noActivation);
  const scenarios = createSharedScenarios({ library, activation });
  const shared = [keys, library, activation];
  await Promise.all(shared.map((one) => one.refresh()));
  const store = createOwnedStore({
    database,
    endpoint,
    keys: toKeyStore(keys),
    wall,
    warn,
    onLost: (project) => {
      control?.projects.lose(project);
      keeper?.discard(project);
      moves.emit('moved', project);
    },
    onReset: (project) => keeper?.discard(project),
    onIdle: (project, released) => placement.giveUp(project, released),
  });
  let keeper: JournalKeeper | undefined;
  const placement = createPlacement({
    ...{ database, membership, store, reportError },
    loadJournal: async (project) => keeper?.load(project),
    dropJournal: (project) => {
      control?.journal.drop(project);
      keeper?.discard(project);
    },
    flushJournals: async () => keeper?.flush(),
  });
  const dispatch = createDispatch({
    database,
    membership,
    placement,
    store,
    client,
    wall,
    createToken: surroundings.createId,
  });
  const running = (): { readonly control: ControlParts; loaded(): Promise<Control> } => ({
    control: control as ControlParts,
    loaded: (handlers as Handlers).control,
  });
  const wide = createWide(
    {
      ...{ database, membership, placement, store, client, dispatch, scenarios, wall },
      onMoved: (project, listener) => {
        const check = (moved: string): void => {
          if (moved === project) listener();
        };
        moves.on('moved', check);
        return () => void moves.off('moved', check);
      },
    },
    running,
  );

  membership.onFenced(() => {
    warn('the other servers have taken over the projects of this one, which joins again');
    for (const project of store.owned()) store.lose(project);
  });
  const upkeep = createUpkeep({
    ...{ database, membership, placement, store, client, shared, wall, reportError },
    onMoved: (project) => void moves.emit('moved', project),
  });

  /** Runs a request that another replica has forwarded. */
  async function handleForwarded(kind: MessageKind, request: PeerRequest): Promise<Reply | 'applied'> {
    const { head, text, onLeave } = request;
    if (kind === 'refresh') {
      const { key } = head as { readonly key: string };
      await shared.find((one) => one.key === key)?.refresh();
      await scenarios.settled();
      return { status: 204, headers: {}, body: undefined };
    }
    if (kind === 'wide') return wide.answer(running(), request);
    if (kind === 'slot') return wide.holdSlot(running(), request, head as Sending);
    const { api, control: load } = handlers as Handlers;
    if (kind === 'api') {
      const { token, mayBeApplied, epoch, ...forwarded } = head as ForwardedApi & Sending;
      return dispatch.runForwarded(
        toApiCall(forwarded, text, (given) => applyHere(api, forwarded, text, given)),
        { token, mayBeApplied, epoch },
      );
    }
    const { token, mayBeApplied, epoch, ...forwarded } = head as ForwardedControl & Sending;
    const { headers, isSecure } = forwarded.request;
    const caller = running().control.session.identify(headers, isSecure);
    if ('kind' in caller) return toControlProblemReply(caller);
    const full = { ...forwarded.request, caller, onLeave };
    const here = async (given: string | undefined) => (await load()).handleHere(forwarded.id, full, given);
    return dispatch.runForwarded(toControlCall(forwarded, here), { token, mayBeApplied, epoch });
  }

  async function drain(): Promise<void> {
    // One may have joined since the last beat.
    const others = await membership.listOthers().catch(membership.others);
    if (others.length > 0) await arrivals.drain();
  }

  return {
    store,
    placement: {
      apply: ({ request, project, body }, here) => {
        arrivals.note();
        const { method, url, headers } = request;
        const forwarded = { request: { method, url, headers }, project, ...toProblem(body) };
        return dispatch.run(toApiCall(forwarded, 'text' in body ? body.text : '', here));
      },
      noteToken: store.addToken,
      listEarlier: (key, project) => {
        if (!key.hasGlob || store.has(project) || !isByGlob(key, project)) return undefined;
        return database.listEarlier(toPatterns(key), project);
      },
    },
    controlPlacement: {
      handle: ({ id, project, request, isRead }, here) => {
        const abort = new AbortController();
        const unsubscribe = request.onLeave?.(() => abort.abort());
        const call = toControlCall({ id, project, request: toForwarded(request), isRead }, here);
        return dispatch.run({ ...call, signal: abort.signal }).finally(unsubscribe);
      },
      ...wide,
      shareScenario: scenarios.shareScenario,
      shareServerScenarios: scenarios.shareServerScenarios,
      replica: { id: connection.name, others: () => membership.others().length },
    },
    origin: randomBytes(originBytes).toString('hex'),
    prepare: async (given) => {
      control = given;
      const { journal, coverage, projects } = given;
      keeper = createJournalKeeper({ journal, coverage, database, wall, epochOf: store.epochOf, reportError });
      projects.onDiscard(({ id }, what) => {
        if (what === 'everything' && store.owns(id)) store.noteSummary(id, saveSummary(given, id));
      });
      await scenarios.begin(given);
    },
    shareCertificate: createShareCertificate(database, wall),
    start: (given) => {
      handlers = given;
      upkeep.start(running().control.projects);
      connection.answer(handleForwarded);
    },
    isConnected: membership.hasLease,
    leave: async (drains) => {
      connection.hurry();
      placement.leave();
      await Promise.all([upkeep.handOverAll(), drains && drain()]);
    },
    close: async () => {
      wide.close();
      await upkeep.stop();
      await keeper?.flush().catch(reportError);
      await store.close();
      await placement.settled();
      await membership.leave().catch(reportError);
      await upkeep.stop();
      await connection.close();
    },
  };
}

/** Size of what identifies a replica in ids, in bytes. */
const originBytes = 5;

function toKeyStore(keys: SharedValue<readonly StoredKey[]>): KeyStore {
  return {
    load: () => Promise.resolve(keys.current()),
    update: keys.update,
    onChange: (listener) => void keys.onChange(listener),
  };
}
