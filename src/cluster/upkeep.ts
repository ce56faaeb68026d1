/** Does what goes on between requests: takes projects over, hands projects over, and keeps what is shared up to date. */
import { pause, type WallClock } from '../lib/time.ts';
import { ProjectLost } from '../project/persistence/store-errors.ts';
import type { ProjectRegistry } from '../project/registry.ts';
import type { Claims } from './claims.ts';
import type { ClusterDatabase } from './database/cluster-database.ts';
import type { Membership } from './membership.ts';
import type { Refreshable } from './shared-value.ts';
import type { Released } from './store/owned-project.ts';
import type { OwnedStore } from './store/owned-store.ts';
import type { PeerClient } from './transport/peer-client.ts';

interface Deps {
  readonly database: Pick<ClusterDatabase, 'listOrphans' | 'listWanted'>;
  readonly membership: Pick<Membership, 'id' | 'others' | 'listOthers' | 'events'>;
  readonly claims: Pick<Claims, 'locate' | 'listDoubtful' | 'giveUp'>;
  readonly store: Pick<OwnedStore, 'owned' | 'flush' | 'letGo' | 'release' | 'writeItems'>;
  readonly client: Pick<PeerClient, 'waiting' | 'probe' | 'drop'>;
  readonly shared: readonly Pick<Refreshable, 'refresh'>[];
  readonly wall: WallClock;
  reportError(error: unknown): void;
}

/** Maximum number of projects that are taken over at each beat. */
const maxOrphans = 100;
/** How long a handover waits for callbacks that are being sent and for clocks that are being advanced. */
const handOverMs = 5000;
/** After an advance that took that long, callbacks that are being sent have a little more. The stop must end in time. */
const minSettleMs = 500;
const advancePauseMs = 20;
/** A replica that stops forwards requests until none has come for a while: load balancers take less to notice. */
const quietMs = 2000;
const maxDrainMs = 4000;
const drainPauseMs = 100;
/** A replica that works may be busy for a second or two. */
const busyMs = 3000;

export class Upkeep {
  readonly #deps: Deps;
  /** What is under way, until it is complete. */
  readonly #underWay = new Set<Promise<void>>();
  #projects: ProjectRegistry | undefined;
  #isTakingOver = false;
  #isStopped = false;
  #arrivedMs = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { membership, client, shared, store } = deps;
    membership.events.on('beat', () => {
      store.writeItems();
      // A change may have been announced while this replica could not be reached.
      for (const one of shared) this.#goOn(one.refresh());
      // A connection that was cut without notice would wait for ever.
      for (const url of client.waiting()) this.#goOn(this.#dropIfSilent(url));
      if (!this.#projects) return;
      this.#goOn(this.#takeOver());
      this.#goOn(this.#handOverWanted());
    });
    membership.events.on('gone', (gone) => {
      // A replica that has restarted may be there already, with requests of its own.
      const present = new Set(membership.others().map(({ url }) => url));
      for (const { url } of gone) if (!present.has(url)) client.drop(url);
    });
  }

  /** Begins to take projects over, and to hand over those that others want. */
  start(projects: ProjectRegistry): void {
    this.#projects = projects;
  }

  noteArrival(): void {
    this.#arrivedMs = this.#deps.wall.elapsed();
  }

  /** Resolves when no request has arrived for two seconds, after four seconds at the latest. */
  async drain(): Promise<void> {
    const startedMs = this.#deps.wall.elapsed();
    const isOver = (nowMs: number): boolean =>
      nowMs - Math.max(this.#arrivedMs, startedMs) >= quietMs || nowMs - startedMs >= maxDrainMs;
    while (!isOver(this.#deps.wall.elapsed())) await pause(this.#deps.wall, drainPauseMs);
  }

  /** Hands all projects over. */
  async handOverAll(): Promise<void> {
    await Promise.all(this.#deps.store.owned().map((project) => this.#handOver(project)));
  }

  /** Begins nothing more. Resolves when nothing goes on. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#underWay);
  }

  #goOn(work: Promise<void>): void {
    const done = work.catch(this.#deps.reportError).finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  async #dropIfSilent(url: string): Promise<void> {
    if ((await this.#deps.client.probe(url, busyMs)) !== 'answers') this.#deps.client.drop(url);
  }

  /** Loads projects whose work must go on, and which no replica owns. */
  async #takeOver(): Promise<void> {
    if (this.#isTakingOver) return;
    this.#isTakingOver = true;
    const { database, claims, reportError } = this.#deps;
    try {
      const orphans = await database.listOrphans(maxOrphans);
      // A claim reads all of a project, so there is none without room for it.
      for (const project of [...claims.listDoubtful(), ...orphans.filter((one) => this.#hasRoom(one))]) {
        if (this.#isStopped) return;
        // One that fails does not stop the others.
        await claims
          .locate(project)
          .then((elsewhere) => elsewhere ?? this.#load(project))
          .catch(reportError);
      }
    } finally {
      this.#isTakingOver = false;
    }
  }

  #hasRoom(project: string): boolean {
    return this.#projects?.checkCapacity(project) === undefined;
  }

  /** Loads a project if there is room for it; at the next beat it is tried again. */
  #load(project: string): void {
    if (this.#hasRoom(project)) this.#projects?.find(project);
    // It may have been reset meanwhile.
    this.#deps.store.release(project);
  }

  async #handOverWanted(): Promise<void> {
    const { database, membership } = this.#deps;
    for (const project of await database.listWanted(membership.id()))
      if (!this.#isStopped) await this.#handOver(project);
  }

  /** Gives a project to other replicas while requests go on. Resolves when another one can claim it. */
  async #handOver(project: string): Promise<void> {
    const projects = this.#projects;
    if (projects) await this.#deps.claims.giveUp(project, () => this.#letGo(project, projects));
  }

  async #letGo(id: string, projects: ProjectRegistry): Promise<Released | undefined> {
    const { store, wall } = this.#deps;
    const until = wall.elapsed() + handOverMs;
    while (projects.peek(id)?.schedule.isAdvancing() && wall.elapsed() < until) await pause(wall, advancePauseMs);
    const project = projects.peek(id);
    // What an advance has done until now is stored, so it must not run again as a whole. Callbacks in a queue stay due.
    project?.schedule.dispose(new ProjectLost(id));
    await Promise.race([project?.deliveries.settled(), pause(wall, Math.max(minSettleMs, until - wall.elapsed()))]);
    // Requests that were under way may change the project until nothing is left to write.
    await store.flush(id);
    projects.lose(id);
    return store.letGo(id);
  }
}
