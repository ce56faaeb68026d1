/** Makes this server one of several replicas that share their projects in a PostgreSQL database. */
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Endpoint } from '../callbacks/callback.ts';
import { ConfigError } from '../config/config-files.ts';
import type { Options } from '../config/option-table.ts';
import type { ControlParts, ControlPlacement } from '../control-api/handler.ts';
import type { Control } from '../control-api/index.ts';
import { saveSummary } from '../control-api/saved-summary.ts';
import type { RequestPlacement } from '../http/placement.ts';
import { type Reply, toControlProblemReply } from '../http/reply.ts';
import type { RequestHandler } from '../http/request-handler.ts';
import type { ShareCertificate } from '../http/tls/certificate.ts';
import { isByGlob, toPatterns } from '../keys/api-key.ts';
import type { KeyStore, StoredKey } from '../keys/key-store.ts';
import type { WallClock } from '../lib/time.ts';
import type { ProjectStore } from '../project/persistence/project-store.ts';
import { toStoreError } from '../project/persistence/store-errors.ts';
import { createDispatch } from './dispatch.ts';
import {
  applyHere,
  type ForwardedApi,
  type ForwardedControl,
  type Token,
  toApiCall,
  toControlCall,
  toProblem,
} from './forwarded.ts';
import { createHandOver } from './hand-over.ts';
import { createJournalKeeper, type JournalKeeper } from './journal-keeper.ts';
import { join, SettingsDiffer } from './membership.ts';
import { createPlacement } from './placement.ts';
import { findDifferences, type SharedSettings, shareSecret, toSettingsText } from './settings.ts';
import { createShareCertificate } from './shared-certificate.ts';
import { createSharedValue, type SharedValue } from './shared-value.ts';
import { createOwnedStore } from './store/owned-store.ts';
import { realSurroundings, type Surroundings } from './surroundings.ts';
import type { MessageKind } from './transport/peer-client.ts';
import type { PeerRequest } from './transport/peer-server.ts';
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
  /** Hands all projects over. Requests that arrive here go on to be handled, elsewhere. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

interface Parts {
  readonly options: Options & { readonly postgres: string };
  readonly settings: SharedSettings;
  readonly endpoint: Endpoint | undefined;
  readonly wall: WallClock;
  warn(text: string): void;
  reportError(error: unknown): void;
}

/** Maximum number of projects that are taken over at each beat. */
const maxOrphans = 100;

/**
 * Connects to the database and joins the other replicas.
 * @throws ConfigError if the database refuses, or if the other replicas have other settings
 */
export async function openCluster(
  { options, settings, endpoint, wall, ...notices }: Parts,
  { openDatabase, createClient, listen, isRefused, createId }: Surroundings = realSurroundings,
): Promise<Cluster> {
  const warn = (text: string): void => notices.warn(`--postgres: ${text}`);
  // The connection reports that the database is away.
  const reportError = (error: unknown): void => void (toStoreError(error) ?? notices.reportError(error));
  const ending = new AbortController();
  const database = await openDatabase(options.postgres, wall, { warn, ending: ending.signal }).catch(
    (error: unknown) => {
      throw new ConfigError([`--postgres: ${(error as Error).message}`]);
    },
  );
  const secret = await shareSecret(database);
  const client = createClient(secret);
  let handlers: Handlers | undefined;
  let parts: ControlParts | undefined;
  const moves = new EventEmitter<{ moved: [project: string] }>().setMaxListeners(0);
  const server = await listen({
    host: options.host,
    port: options.clusterPort,
    secret: () => (handlers ? secret : undefined),
    handle: (kind, request) => handleForwarded(kind, request),
    reportError,
  });
  const host = options.clusterHost ?? options.host;
  const own = toSettingsText(settings);
  /** How the others, and metrics, know this replica. */
  const name = `${host.includes(':') ? `[${host}]` : host}:${server.port}`;
  const origin = randomBytes(5).toString('hex');
  const membership = await join({
    database,
    wall,
    url: `http://${name}`,
    leaseMs: options.lease,
    settings: own,
    checkSettings: (others) => {
      const differing = findDifferences(own, others, options.rolling);
      return differing.length === 0
        ? undefined
        : `${differing.join(' and ')}: differs from that of the servers that share this database`;
    },
    isRefused,
    createId,
    warn,
  }).catch(async (error: unknown) => {
    await server.close();
    await database.close();
    throw error instanceof SettingsDiffer ? new ConfigError([error.message]) : error;
  });
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
      parts?.projects.lose(project);
      moves.emit('moved', project);
    },
    onReset: (project) => keeper?.discard(project),
    onIdle: (project, released) => placement.giveUp(project, released),
  });
  let keeper: JournalKeeper | undefined;
  const placement = createPlacement({
    ...{ database, membership, store, reportError },
    loadJournal: async (project) => keeper?.load(project),
    dropJournal: (project) => parts?.journal.drop(project),
    flushJournals: async () => keeper?.flush(),
  });
  const dispatch = createDispatch({ database, membership, placement, store, client, wall, createToken: createId });
  const running = (): { readonly control: ControlParts; loaded(): Promise<Control> } => ({
    control: parts as ControlParts,
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
  let isTakingOver = false;
  /** What goes on between requests, until it is complete. */
  const underWay = new Set<Promise<void>>();
  let isClosing = false;

  function goOn(work: Promise<void>): void {
    const done = work.catch(reportError).finally(() => underWay.delete(done));
    underWay.add(done);
  }

  membership.onBeat(() => {
    // A change may have been announced while this replica could not be reached.
    for (const one of shared) goOn(one.refresh());
    // A connection that was cut without notice would wait for ever.
    for (const url of client.waiting())
      goOn(client.ping(url).then((answers) => (answers ? undefined : client.drop(url))));
  });
  membership.onGone((gone) => {
    for (const { url } of gone) client.drop(url);
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
    if (kind === 'slot') return wide.holdSlot(running(), request, (head as Token).token);
    const { api, control } = handlers as Handlers;
    if (kind === 'api') {
      const { token, mayBeApplied, ...forwarded } = head as ForwardedApi & Token;
      return dispatch.runForwarded(
        toApiCall(forwarded, text, (given) => applyHere(api, forwarded, text, given)),
        token,
        mayBeApplied,
      );
    }
    const { token, mayBeApplied, ...forwarded } = head as ForwardedControl & Token;
    const { headers, isSecure } = forwarded.request;
    const caller = running().control.session.identify(headers, isSecure);
    if ('kind' in caller) return toControlProblemReply(caller);
    const full = { ...forwarded.request, caller, onLeave };
    const here = async (given: string | undefined) => (await control()).handleHere(forwarded.id, full, given);
    return dispatch.runForwarded(toControlCall(forwarded, here), token, mayBeApplied);
  }

  return {
    store,
    placement: {
      apply: ({ request, project, body }, here) => {
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
      replica: { id: name, others: () => membership.others().length },
    },
    origin,
    prepare: async (control) => {
      parts = control;
      const { journal, coverage } = control;
      keeper = createJournalKeeper({ journal, coverage, database, wall, epochOf: store.epochOf, reportError });
      control.projects.onDiscard(({ id }, what) => {
        if (what === 'everything' && store.owns(id)) store.noteSummary(id, saveSummary(control, id));
      });
      await scenarios.begin(control);
    },
    shareCertificate: createShareCertificate(database, wall),
    start: (given) => {
      handlers = given;
      membership.onBeat(() => {
        goOn(takeOver());
        goOn(handOverWanted());
      });
    },
    isConnected: membership.hasLease,
    leave: async () => {
      ending.abort();
      placement.leave();
      if (!handlers || membership.others().length === 0) return;
      await Promise.all(store.owned().map(handOver));
    },
    close: async () => {
      isClosing = true;
      wide.close();
      await Promise.all(underWay);
      await keeper?.flush().catch(reportError);
      await store.close();
      await placement.settled();
      await membership.leave().catch(reportError);
      await Promise.all(underWay);
      await server.close();
      await client.close();
      await database.close();
    },
  };

  /** Loads projects whose work must go on, and which no replica owns. */
  async function takeOver(): Promise<void> {
    if (isTakingOver) return;
    isTakingOver = true;
    try {
      for (const project of await database.listOrphans(maxOrphans)) {
        if (isClosing) return;
        const location = await placement.locate(project, false);
        if (location.at === 'here' && !parts?.projects.checkCapacity(project)) parts?.projects.find(project);
      }
    } finally {
      isTakingOver = false;
    }
  }

  async function handOver(project: string): Promise<void> {
    if (!parts) return;
    await createHandOver({ projects: parts.projects, store, placement, wall })(project);
    moves.emit('moved', project);
  }

  async function handOverWanted(): Promise<void> {
    for (const project of await database.listWanted(membership.id())) if (!isClosing) await handOver(project);
  }
}

function toKeyStore(keys: SharedValue<readonly StoredKey[]>): KeyStore {
  return {
    load: () => Promise.resolve(keys.current()),
    update: keys.update,
    onChange: (listener) => void keys.onChange(listener),
  };
}
