/** Makes this server one of several replicas that share their projects in a PostgreSQL database. */
import type { Endpoint } from '../callbacks/callback.ts';
import { ConfigError } from '../config/config-files.ts';
import type { Options } from '../config/option-table.ts';
import type { ControlId, ControlPlacement, ControlRequest, Session } from '../control-api/handler.ts';
import type { Control } from '../control-api/index.ts';
import type { Coverage } from '../coverage/coverage.ts';
import { type RawBody, toRawBody } from '../http/body.ts';
import type { PlacedRequest, RequestPlacement } from '../http/placement.ts';
import { type Reply, toControlProblemReply } from '../http/reply.ts';
import type { ApiRequest } from '../http/request-context.ts';
import type { RequestHandler } from '../http/request-handler.ts';
import type { ShareCertificate } from '../http/tls/certificate.ts';
import type { Journal } from '../journal/journal.ts';
import type { KeyStore, StoredKey } from '../keys/key-store.ts';
import type { WallClock } from '../lib/time.ts';
import type { ProjectStore } from '../project/persistence/project-store.ts';
import { toStoreError } from '../project/persistence/store-errors.ts';
import type { ProjectRegistry } from '../project/registry.ts';
import { type Call, createDispatch } from './dispatch.ts';
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

/** What a replica runs requests with. */
export interface Handlers {
  readonly projects: ProjectRegistry;
  readonly journal: Journal;
  readonly coverage: Coverage;
  readonly api: Pick<RequestHandler, 'applyHere'>;
  control(): Promise<Control>;
  readonly session: Pick<Session, 'identify'>;
}

export interface Cluster {
  readonly store: ProjectStore;
  readonly placement: RequestPlacement;
  readonly controlPlacement: ControlPlacement;
  readonly shareCertificate: ShareCertificate;
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
  const server = await listen({
    host: options.host,
    port: options.clusterPort,
    secret: () => (handlers ? secret : undefined),
    handle: (kind, request) => handleForwarded(kind, request),
    reportError,
  });
  const host = options.clusterHost ?? options.host;
  const own = toSettingsText(settings);
  const membership = await join({
    database,
    wall,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`,
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
  const keys = createSharedValue<readonly StoredKey[]>({
    ...{ key: 'keys', initial: [], database, wall, others: membership.others },
    ask: async ({ url }, key) => (await client.send(url, 'refresh', { key }, '')).kind === 'reply',
  });
  await keys.refresh();
  const shared = [keys];
  const store = createOwnedStore({
    database,
    endpoint,
    keys: toKeyStore(keys),
    wall,
    warn,
    onLost: (project) => handlers?.projects.lose(project),
    onReset: (project) => keeper?.discard(project),
    onIdle: (project, epoch) => placement.giveUp(project, epoch),
  });
  let keeper: JournalKeeper | undefined;
  const placement = createPlacement({
    ...{ database, membership, store, reportError },
    loadJournal: async (project) => keeper?.load(project),
    dropJournal: (project) => handlers?.journal.drop(project),
    flushJournals: async () => keeper?.flush(),
  });
  const dispatch = createDispatch({ database, membership, placement, store, client, wall, createToken: createId });

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
  async function handleForwarded(kind: MessageKind, { head, text, onLeave }: PeerRequest): Promise<Reply | 'applied'> {
    if (kind === 'refresh') {
      const { key } = head as { readonly key: string };
      await shared.find((one) => one.key === key)?.refresh();
      return { status: 204, headers: {}, body: undefined };
    }
    const running = handlers as Handlers;
    if (kind === 'api') {
      const { token, mayBeApplied, ...forwarded } = head as ForwardedApi & Token;
      return dispatch.runForwarded(
        toApiCall(forwarded, text, (given) => applyHere(running, forwarded, text, given)),
        token,
        mayBeApplied,
      );
    }
    const { token, mayBeApplied, ...forwarded } = head as ForwardedControl & Token;
    const { headers, isSecure } = forwarded.request;
    const caller = running.session.identify(headers, isSecure);
    if ('kind' in caller) return toControlProblemReply(caller);
    const request = { ...forwarded.request, caller, onLeave };
    const here = async (given: string | undefined) =>
      (await running.control()).handleHere(forwarded.id, request, given);
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
    },
    controlPlacement: {
      handle: ({ id, project, request, isRead }, here) => {
        const { onLeave, caller: _, ...rest } = request;
        const abort = new AbortController();
        const unsubscribe = onLeave?.(() => abort.abort());
        const call = toControlCall({ id, project, request: rest, isRead }, here);
        return dispatch.run({ ...call, signal: abort.signal }).finally(unsubscribe);
      },
    },
    shareCertificate: createShareCertificate(database, wall),
    start: (given) => {
      handlers = given;
      keeper = createJournalKeeper({ ...given, database, wall, epochOf: store.epochOf, reportError });
      const handOver = createHandOver({ ...given, store, placement, wall });
      membership.onBeat(() => {
        goOn(takeOver());
        goOn(handOverWanted(handOver));
      });
    },
    isConnected: membership.hasLease,
    leave: async () => {
      ending.abort();
      placement.leave();
      if (!handlers || membership.others().length === 0) return;
      const handOver = createHandOver({ ...handlers, store, placement, wall });
      await Promise.all(store.owned().map(handOver));
    },
    close: async () => {
      isClosing = true;
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
        if (location.at === 'here' && !handlers?.projects.checkCapacity(project)) handlers?.projects.find(project);
      }
    } finally {
      isTakingOver = false;
    }
  }

  async function handOverWanted(handOver: (project: string) => Promise<void>): Promise<void> {
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

interface Token {
  readonly token?: string;
  readonly mayBeApplied: boolean;
}

interface ForwardedApi extends Pick<PlacedRequest, 'project'> {
  readonly request: ApiRequest;
  /** The problem of a body that could not be read. */
  readonly problem?: Extract<RawBody, { problem: unknown }>['problem'];
}

interface ForwardedControl {
  readonly id: ControlId;
  readonly project: string;
  readonly request: Omit<ControlRequest, 'onLeave' | 'caller'>;
  readonly isRead: boolean;
}

function toProblem(body: RawBody): Pick<ForwardedApi, 'problem'> {
  return 'problem' in body ? { problem: body.problem } : {};
}

function toApiCall(forwarded: ForwardedApi, text: string, here: Call['here']): Call {
  return { kind: 'api', project: forwarded.project, creates: true, isRead: false, head: forwarded, text, here };
}

function toControlCall(forwarded: ForwardedControl, here: Call['here']): Call {
  const { project, isRead } = forwarded;
  return { kind: 'control', project, creates: !isRead, isRead, head: forwarded, text: '', here };
}

function applyHere(
  { api }: Handlers,
  { request, problem }: ForwardedApi,
  text: string,
  token: string | undefined,
): Promise<Reply> {
  return api.applyHere(request, problem ? { problem } : toRawBody(text), token);
}
