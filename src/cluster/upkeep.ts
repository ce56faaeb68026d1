/** Does what goes on between requests: takes projects over, hands projects over, and keeps what is shared up to date. */
import type { WallClock } from '../lib/time.ts';
import type { ProjectRegistry } from '../project/registry.ts';
import type { ClusterDatabase } from './database/cluster-database.ts';
import { createHandOver } from './hand-over.ts';
import type { Membership } from './membership.ts';
import type { Placement } from './placement.ts';
import type { SharedValue } from './shared-value.ts';
import type { OwnedStore } from './store/owned-store.ts';
import type { PeerClient } from './transport/peer-client.ts';

export interface Upkeep {
  /** Begins to take projects over, and to hand over those that others want. */
  start(projects: ProjectRegistry): void;
  /** Hands all projects over, if there are other replicas. */
  handOverAll(): Promise<void>;
  /** Begins nothing more. Resolves when nothing goes on. */
  stop(): Promise<void>;
}

interface Parts {
  readonly database: Pick<ClusterDatabase, 'listOrphans' | 'listWanted'>;
  readonly membership: Pick<Membership, 'id' | 'others' | 'listOthers' | 'onBeat' | 'onGone'>;
  readonly placement: Placement;
  readonly store: OwnedStore;
  readonly client: PeerClient;
  readonly shared: readonly Pick<SharedValue<unknown>, 'refresh'>[];
  readonly wall: WallClock;
  reportError(error: unknown): void;
}

/** Maximum number of projects that are taken over at each beat. */
const maxOrphans = 100;

export function createUpkeep(parts: Parts): Upkeep {
  const { database, membership, placement, store, client, shared, wall, reportError } = parts;
  /** What is under way, until it is complete. */
  const underWay = new Set<Promise<void>>();
  let projects: ProjectRegistry | undefined;
  let isTakingOver = false;
  let isStopped = false;

  function goOn(work: Promise<void>): void {
    const done = work.catch(reportError).finally(() => underWay.delete(done));
    underWay.add(done);
  }

  async function dropIfSilent(url: string): Promise<void> {
    if (!(await client.ping(url))) client.drop(url);
  }

  /** Loads a project if there is room for it; at the next beat it is tried again. */
  function load(project: string): void {
    if (!projects?.checkCapacity(project)) projects?.find(project);
  }

  /** Loads projects whose work must go on, and which no replica owns. */
  async function takeOver(): Promise<void> {
    if (isTakingOver) return;
    isTakingOver = true;
    try {
      store.listUnloaded().forEach(load);
      (await placement.findDoubtful()).forEach(load);
      for (const project of await database.listOrphans(maxOrphans)) {
        if (isStopped) return;
        const location = await placement.locate(project, false);
        if (location.at === 'here') load(project);
      }
    } finally {
      isTakingOver = false;
    }
  }

  async function handOver(project: string): Promise<void> {
    if (!projects) return;
    await createHandOver({ projects, store, placement, wall })(project);
  }

  async function handOverWanted(): Promise<void> {
    for (const project of await database.listWanted(membership.id())) if (!isStopped) await handOver(project);
  }

  membership.onBeat(() => {
    // A change may have been announced while this replica could not be reached.
    for (const one of shared) goOn(one.refresh());
    // A connection that was cut without notice would wait for ever.
    for (const url of client.waiting()) goOn(dropIfSilent(url));
    if (!projects) return;
    goOn(takeOver());
    goOn(handOverWanted());
  });
  membership.onGone((gone) => {
    for (const { url } of gone) client.drop(url);
  });

  return {
    start: (given) => {
      projects = given;
    },
    handOverAll: async () => {
      // One may have joined since the last beat.
      const others = await membership.listOthers().catch(membership.others);
      if (others.length > 0) await Promise.all(store.owned().map(handOver));
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(underWay);
    },
  };
}
