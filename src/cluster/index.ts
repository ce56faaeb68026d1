/** Makes this server one of several replicas that share their projects in a PostgreSQL database. */
import { randomBytes } from 'node:crypto';
import type { ControlParts, ControlPlacement } from '../control-api/handler.ts';
import { saveSummary } from '../control-api/projects.ts';
import type { RequestPlacement } from '../http/placement.ts';
import type { ShareCertificate } from '../http/tls/certificate.ts';
import { isByGlob, toPatterns } from '../keys/api-key.ts';
import type { ProjectStore } from '../project/persistence/project-store.ts';
import { createPeerHandler } from './answer-peers.ts';
import { type Arrivals, createArrivals } from './arrivals.ts';
import { type ClusterParts, createClusterParts, type Handlers, type OpenParts } from './cluster-parts.ts';
import { connectCluster } from './connect.ts';
import { toApiCall, toControlCall, toProblem } from './forwarded.ts';
import { createShareCertificate } from './shared-certificate.ts';
import { realSurroundings, type Surroundings } from './surroundings.ts';
import { toForwarded } from './wide/ask-others.ts';

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

/**
 * Connects to the database and joins the other replicas.
 * @throws ConfigError if the database refuses, or if the other replicas have other settings
 */
export async function openCluster(parts: OpenParts, surroundings: Surroundings = realSurroundings): Promise<Cluster> {
  const { wall } = parts;
  const connection = await connectCluster(parts, surroundings);
  const arrivals = createArrivals(wall);
  const cluster = await createClusterParts(parts, connection);
  const { late, store, upkeep } = cluster;
  return {
    store,
    placement: toRequestPlacement(cluster, arrivals),
    controlPlacement: toControlPlacement(cluster),
    origin: randomBytes(originBytes).toString('hex'),
    prepare: (control) => prepare(cluster, control),
    shareCertificate: createShareCertificate(connection.database, wall),
    start: (given) => {
      late.handlers = given;
      upkeep.start(cluster.running().control.projects);
      connection.answer(createPeerHandler(cluster));
    },
    isConnected: connection.membership.hasLease,
    leave: (drains) => leave(cluster, drains ? arrivals : undefined),
    close: () => close(cluster),
  };
}

/** Size of what identifies a replica in ids, in bytes. */
const originBytes = 5;

function toRequestPlacement({ connection, store, dispatch }: ClusterParts, arrivals: Arrivals): RequestPlacement {
  return {
    apply: ({ request, project, body }, here) => {
      arrivals.note();
      const { method, url, headers } = request;
      const forwarded = { request: { method, url, headers }, project, ...toProblem(body) };
      return dispatch.run(toApiCall(forwarded, 'text' in body ? body.text : '', here));
    },
    listEarlier: (key, project) => {
      if (!key.hasGlob || store.has(project) || !isByGlob(key, project)) return undefined;
      return connection.database.listEarlier(toPatterns(key), project);
    },
  };
}

function toControlPlacement({ connection, dispatch, wide, scenarios }: ClusterParts): ControlPlacement {
  const { membership, name } = connection;
  return {
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
  };
}

async function prepare({ late, store, scenarios }: ClusterParts, control: ControlParts): Promise<void> {
  const { journal, projects } = control;
  late.control = control;
  journal.onStored(store.noteItem);
  projects.onDiscard(({ id }, { what }) => {
    if (what === 'everything' && store.owns(id)) store.noteSummary(id, saveSummary(control, id));
  });
  await scenarios.begin(control);
}

/** Hands all projects over. With `arrivals`, waits until no more requests arrive. */
async function leave({ connection, placement, upkeep }: ClusterParts, arrivals: Arrivals | undefined): Promise<void> {
  connection.hurry();
  placement.leave();
  await Promise.all([upkeep.handOverAll(), arrivals && drain(connection, arrivals)]);
}

async function drain({ membership }: ClusterParts['connection'], arrivals: Arrivals): Promise<void> {
  // One may have joined since the last beat.
  const others = await membership.listOthers().catch(membership.others);
  if (others.length > 0) await arrivals.drain();
}

async function close({ connection, store, placement, upkeep }: ClusterParts): Promise<void> {
  const { membership, reportError } = connection;
  await upkeep.stop();
  await store.close();
  await placement.settled();
  await membership.leave().catch(reportError);
  await upkeep.stop();
  await connection.close();
}
