/** Makes this server one of several replicas that share their projects in a PostgreSQL database. */
import { randomBytes } from 'node:crypto';
import type { Callback, Endpoint } from '../callbacks/callback.ts';
import type { ControlParts, ControlPlacement } from '../control-api/handler.ts';
import { saveSummary } from '../control-api/projects.ts';
import type { ApiRequest } from '../http/exchange.ts';
import type { Placed, PlacedRequest, RequestPlacement, RunHere } from '../http/handler-deps.ts';
import type { Pipeline } from '../http/pipeline.ts';
import { type Reply, toControlProblemReply } from '../http/reply.ts';
import type { ShareCertificate } from '../http/tls/certificate.ts';
import { fromItemText } from '../journal/stored-entry.ts';
import { type ApiKey, toGlobs } from '../keys/api-key.ts';
import type { StoredKey } from '../keys/key-store.ts';
import type { Problem } from '../lib/problem.ts';
import { pause, type WallClock } from '../lib/time.ts';
import { Claims } from './claims.ts';
import {
  type ClusterConnection,
  type ConnectParts,
  connectCluster,
  realSurroundings,
  type Surroundings,
} from './connect.ts';
import { type CallHead, Dispatch } from './dispatch.ts';
import { createShareCertificate, type StoredCertificate } from './shared-certificate.ts';
import { type Refreshable, SharedValue } from './shared-value.ts';
import { OwnedStore } from './store/owned-store.ts';
import type { PeerRequest } from './transport/peer-server.ts';
import { Upkeep } from './upkeep.ts';
import { type ControlHead, createAskOthers, type Question } from './wide/ask-others.ts';
import { createWide, type RunningControl, type Wide } from './wide/index.ts';
import { type Activation, type SharedScenarios, useSharedScenarios } from './wide/shared-scenarios.ts';

/** What a replica has, and runs requests with. */
export interface Running extends RunningControl {
  readonly api: Pick<Pipeline, 'applyHere'>;
}

export interface OpenParts extends ConnectParts {
  readonly endpoint: Endpoint | undefined;
}

/** A request of the API, as it is sent to the owner of its project. */
interface ApiHead extends CallHead {
  readonly about: 'api';
  readonly request: ApiRequest;
  /** The problem of a body that could not be read. */
  readonly problem?: Problem;
}

/** The claim of the project that the sender of a request found. */
interface Sent {
  readonly epoch?: number;
}

/** Size of what identifies a replica in ids, in bytes. */
const originBytes = 5;
/** How long a replica that ends waits for the answers to requests of the others, in milliseconds. */
const maxAnswerMs = 500;

/**
 * Connects to the database and joins the other replicas.
 * @throws ConfigError if the database refuses, or if the other replicas have other settings
 */
export async function openCluster(parts: OpenParts, surroundings: Surroundings = realSurroundings): Promise<Cluster> {
  const cluster = new Cluster(parts, await connectCluster(parts, surroundings));
  await cluster.refresh();
  return cluster;
}

export class Cluster implements RequestPlacement {
  /** Identifies this server in ids that must not repeat at the others. */
  readonly origin: string = randomBytes(originBytes).toString('hex');
  readonly store: OwnedStore;
  readonly controlPlacement: ControlPlacement;
  readonly shareCertificate: ShareCertificate;
  /** The certificate of all replicas, which one replaces that needs more names. */
  readonly certificate: SharedValue<StoredCertificate | null>;
  /** Whether this replica has reached its database during the last lease. */
  readonly isConnected: () => boolean;
  readonly #connection: ClusterConnection;
  /** Values that are the same at all replicas. */
  readonly #shared: readonly Refreshable[];
  readonly #scenarios: SharedScenarios;
  /** Answers to other replicas that are under way. */
  readonly #answers = new Set<Promise<unknown>>();
  readonly #wall: WallClock;
  readonly #claims: Claims;
  readonly #dispatch: Dispatch;
  readonly #wide: Wide;
  readonly #upkeep: Upkeep;
  #running: Running | undefined;

  constructor({ endpoint, wall, options }: OpenParts, connection: ClusterConnection) {
    const { database, membership, client, warn, reportError } = connection;
    const ask = createAskOthers({ membership, client, wall, warn });
    const share = <Value>(key: string, initial: Value): SharedValue<Value> =>
      new SharedValue(key, initial, { database, tell: () => ask({ about: 'refresh', key }) });
    const keys = share<readonly StoredKey[]>('keys', []);
    const library = share<Readonly<Record<string, string>>>('library', {});
    const activation = share<Activation>('server-scenarios', { scenarios: null });
    // The others read it at their next beat: a start must not wait for one that is paused.
    const quiet = { database, tell: () => Promise.resolve() };
    const certificate = new SharedValue<StoredCertificate | null>('certificate', null, quiet);
    const shared = [keys, library, activation, ...(options.tls ? [certificate] : [])];
    const scenarios = { library, activation };
    const store = new OwnedStore({
      ...{ database, endpoint, wall, warn, keys },
      oldestItem: (project) => this.#running?.control.journal.oldest(project),
      onLost: (project) => this.#running?.control.projects.lose(project),
      onIdle: (project, released) => {
        void claims.giveUp(project, async () => {
          if (this.#running) dropJournal(this.#running.control, project);
          return released;
        });
      },
    });
    const claims = new Claims({
      ...{ database, membership, store, reportError },
      restoreJournal: (project, items) => this.#running && restoreJournal(this.#running.control, project, items),
      restoreCallbacks: (project, callbacks) =>
        this.#running && restoreCallbacks(this.#running.control, project, callbacks),
      dropJournal: (project) => this.#running && dropJournal(this.#running.control, project),
    });
    const dispatch = new Dispatch({ membership, claims, store, client, wall });
    const parts = { ...connection, claims, dispatch, store, ask, shared, scenarios, wall };
    membership.events.on('fenced', () => {
      warn('the other servers have taken over the projects of this one, which joins again');
      for (const project of store.owned()) store.lose(project);
    });
    this.store = store;
    this.isConnected = membership.hasLease;
    this.shareCertificate = createShareCertificate(certificate, wall);
    this.certificate = certificate;
    this.#wide = createWide(parts, () => this.#running as Running);
    this.controlPlacement = this.#wide;
    this.#connection = connection;
    this.#wall = wall;
    this.#shared = shared;
    this.#scenarios = scenarios;
    this.#claims = claims;
    this.#dispatch = dispatch;
    this.#upkeep = new Upkeep(parts);
  }

  /** Reads the values that are the same at all replicas. */
  async refresh(): Promise<void> {
    await Promise.all(this.#shared.map((one) => one.refresh()));
  }

  /**
   * Applies what the servers share, before the first request. Then begins to handle requests of the other replicas, and to
   * take projects over.
   */
  async start(running: Running): Promise<void> {
    const { control } = running;
    this.#running = running;
    control.journal.onStored((project, item) => this.store.noteItem(project, item));
    control.projects.on('discard', ({ id }, { what }) => {
      if (what === 'everything' && this.store.owns(id)) this.store.noteSummary(id, saveSummary(control, id));
    });
    await useSharedScenarios(control, this.#scenarios);
    this.#upkeep.start(control.projects);
    this.#connection.answer((request) => {
      const answer = this.#answer(running, request);
      const done: Promise<unknown> = answer.catch(() => undefined).finally(() => this.#answers.delete(done));
      this.#answers.add(done);
      return answer;
    });
  }

  /** Applies a request of the API at the server that owns its project. */
  apply({ request, project, body }: PlacedRequest, here: RunHere): Promise<Placed> {
    this.#upkeep.noteArrival();
    const problem = 'problem' in body && { problem: body.problem };
    const head: ApiHead = { about: 'api', project, isRead: false, request, ...problem };
    return this.#dispatch.run({ head, text: 'text' in body ? body.text : '', here });
  }

  listEarlier(key: ApiKey, project: string): Promise<readonly string[]> | undefined {
    if (!key.hasGlob || this.store.has(project)) return undefined;
    return this.#connection.database.listEarlier(toGlobs(key), project);
  }

  /**
   * Hands all projects over. Requests that arrive here go on to be handled, elsewhere. With `drains`, waits until load
   * balancers send no more requests here.
   */
  async leave(drains: boolean): Promise<void> {
    const { membership, hurry } = this.#connection;
    hurry();
    this.#claims.leave();
    // One may have joined since the last beat.
    const others = await membership.listOthers().catch(membership.others);
    if (others.length > 0) await Promise.all([this.#upkeep.handOverAll(), drains && this.#upkeep.drain()]);
  }

  async close(): Promise<void> {
    const { membership, reportError } = this.#connection;
    await this.#upkeep.stop();
    await this.store.close();
    await this.#claims.settled();
    // A request of another replica that is cut off may have been applied, for all that its client can know.
    await this.#wide.announceEnd();
    if (this.#answers.size > 0) await Promise.race([Promise.all(this.#answers), pause(this.#wall, maxAnswerMs)]);
    await membership.leave().catch(reportError);
    await this.#upkeep.stop();
    await this.#connection.close();
  }

  /** Runs what another replica sends: a request that it forwards, or a question. */
  async #answer({ api, control, loaded }: Running, { head, text, onLeave }: PeerRequest): Promise<Reply> {
    const sent = head as (ApiHead & Sent) | (ControlHead & Sent) | Question;
    if (sent.about === 'api') {
      const { request, problem } = sent;
      const here = (): Promise<Reply> => api.applyHere(request, problem ? { problem } : { text });
      return this.#dispatch.runForwarded({ head: sent, here }, sent.epoch);
    }
    if (sent.about !== 'control') return this.#wide.answer(sent, onLeave);
    const { id, request } = sent;
    // The caller may have lost its access since.
    const caller = control.session.identify(request.headers, request.isSecure);
    if ('kind' in caller) return toControlProblemReply(caller);
    const here = async (): Promise<Reply> => (await loaded()).handleHere(id, { ...request, caller, onLeave });
    return this.#dispatch.runForwarded({ head: sent, here }, sent.epoch);
  }
}

/** Adds what was written of a project's journal. An item that was written again is there once, as it was last. */
function restoreJournal(control: ControlParts, project: string, texts: readonly string[]): void {
  // An earlier claim may have failed after this.
  dropJournal(control, project);
  const written = texts.flatMap((text) => text.trimEnd().split('\n').map(fromItemText));
  const items = [...new Map(written.map((item) => [item.number, item])).values()].toSorted(
    (a, b) => a.number - b.number,
  );
  control.journal.restore(project, items);
  for (const item of items) if ('request' in item) control.coverage.restore(item.request);
}

/** Counts the callbacks of requests in the journal of a project, and those without one. A fork has others too. */
function restoreCallbacks({ journal, coverage }: ControlParts, project: string, callbacks: Iterable<Callback>): void {
  for (const callback of callbacks)
    if (callback.triggered || journal.find(project, callback.requestId))
      coverage.callback(project, callback, 'restore');
}

function dropJournal({ journal, coverage }: ControlParts, project: string): void {
  journal.drop(project);
  coverage.forget(project);
}
