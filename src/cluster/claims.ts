/** Finds the replica that owns a project, claims projects that none owns, and gives projects up. */
import type { Callback } from '../callbacks/callback.ts';
import { ProjectLost } from '../project/persistence/store-errors.ts';
import type { ClusterDatabase, Replica } from './database/cluster-database.ts';
import type { Membership } from './membership.ts';
import type { Released } from './store/owned-project.ts';
import type { OwnedStore } from './store/owned-store.ts';

/** Another replica, and its claim of the project; without a claim, one that may claim the project. */
export interface Elsewhere {
  readonly replica: Replica;
  readonly epoch: number | undefined;
}

interface Deps {
  readonly database: Pick<ClusterDatabase, 'locate' | 'claim' | 'release' | 'want'>;
  readonly membership: Pick<Membership, 'id' | 'others' | 'rejoined' | 'verify' | 'events'>;
  readonly store: Pick<OwnedStore, 'owns' | 'admit' | 'lose'>;
  /** Adds the journal of a project to the one of this replica, before it is admitted. */
  restoreJournal(project: string, items: readonly string[]): void;
  /** Counts the callbacks of a project that was admitted. */
  restoreCallbacks(project: string, callbacks: Iterable<Callback>): void;
  /** Drops a journal that was restored in vain. */
  dropJournal(project: string): void;
  reportError(error: unknown): void;
}

/** Maximum number of places that are remembered. */
const maxKnown = 10_000;
/** For how many beats, after the database is back, a statement without an answer may arrive late. */
const doubtfulBeats = 4;

export class Claims {
  readonly #deps: Deps;
  /** Owners of other projects, as last seen. */
  readonly #known = new Map<string, Elsewhere>();
  /** Claims under way. */
  readonly #claiming = new Map<string, Promise<Elsewhere | undefined>>();
  readonly #givingUp = new Map<string, Promise<void>>();
  /** Projects whose claim or release got no answer, and for how many beats they are looked for. */
  readonly #doubtful = new Map<string, number>();
  #isLeaving = false;
  #next = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.membership.events.on('gone', (gone) => this.forgetReplicas(gone.map(({ id }) => id)));
  }

  /**
   * Finds the replica that owns a project; undefined if it is this one. Claims it if none owns it, even if it does not exist:
   * then it is given up after the request.
   * @throws ProjectLost if this replica has left
   */
  async locate(project: string): Promise<Elsewhere | undefined> {
    for (let moving = this.#givingUp.get(project); moving; moving = this.#givingUp.get(project)) await moving;
    if (this.#deps.store.owns(project)) return undefined;
    return this.#known.get(project) ?? this.#claimOnce(project);
  }

  /** Forgets who owns a project that was not where it should be. */
  forget(project: string): void {
    this.#known.delete(project);
  }

  /** Forgets what these replicas owned. */
  forgetReplicas(ids: readonly string[]): void {
    for (const [project, { replica }] of this.#known) if (ids.includes(replica.id)) this.#known.delete(project);
  }

  /** Gives a project up once `prepare` has resolved. Requests for it wait until then. */
  giveUp(project: string, prepare: () => Promise<Released | undefined>): Promise<void> {
    const move = async (): Promise<void> => {
      const released = await prepare();
      if (!released) return;
      const { epoch, summary } = released;
      await this.#deps.database.release(project, epoch, summary).catch(this.#doubt(project));
    };
    const done = move()
      .catch(this.#deps.reportError)
      .finally(() => {
        if (this.#givingUp.get(project) === done) this.#givingUp.delete(project);
      });
    this.#givingUp.set(project, done);
    return done;
  }

  /** Claims no more projects, as long as there are other replicas. */
  leave(): void {
    this.#isLeaving = true;
  }

  /** Asks the owner of a project, which this replica cannot reach, to give it up. */
  want(project: string): Promise<void> {
    return this.#deps.database.want(project, this.#deps.membership.id());
  }

  /**
   * Lists projects whose claim or release got no answer: this replica may own them without knowing it, and then no other one
   * takes them over. Call it at each beat.
   */
  listDoubtful(): readonly string[] {
    for (const [project, beats] of this.#doubtful) {
      if (beats === 0 || this.#isLeaving || this.#deps.store.owns(project)) this.#doubtful.delete(project);
      else this.#doubtful.set(project, beats - 1);
      // Only the database knows.
      this.forget(project);
    }
    return [...this.#doubtful.keys()];
  }

  /** Resolves when no project is being given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#givingUp.values());
  }

  #claimOnce(project: string): Promise<Elsewhere | undefined> {
    const earlier = this.#claiming.get(project);
    if (earlier) return earlier;
    const claiming = this.#claim(project).finally(() => this.#claiming.delete(project));
    this.#claiming.set(project, claiming);
    return claiming;
  }

  async #claim(project: string): Promise<Elsewhere | undefined> {
    const { database, membership, store, restoreJournal, restoreCallbacks, dropJournal } = this.#deps;
    await membership.rejoined();
    const elsewhere = await this.#findElsewhere(project);
    if (elsewhere) return elsewhere;
    const id = membership.id();
    const claimed = await database.claim(project, id).catch(this.#doubt(project));
    if (claimed.owner === 'other') return this.#remember(project, claimed);
    if (claimed.owner === 'me') {
      restoreJournal(project, claimed.items);
      restoreCallbacks(project, (await store.admit(project, claimed)) ?? []);
    }
    // A claim under an id that was fenced meanwhile protects nothing.
    if (claimed.owner === 'me' && membership.id() === id) return undefined;
    dropJournal(project);
    store.lose(project);
    // After it has left, this replica remains fenced.
    if (this.#isLeaving) throw new ProjectLost(project);
    await membership.verify().catch(() => undefined);
    return this.#claim(project);
  }

  /** Returns what notes that a statement about a project got no answer. */
  #doubt(project: string): (error: unknown) => never {
    return (error) => {
      this.#doubtful.set(project, doubtfulBeats);
      throw error;
    };
  }

  /** After this replica has left, finds the one that owns a project, or else one that may claim it. */
  async #findElsewhere(project: string): Promise<Elsewhere | undefined> {
    if (!this.#isLeaving) return undefined;
    const { database, membership } = this.#deps;
    const { replica: owner, epoch } = (await database.locate(project)) ?? {};
    if (owner && owner.id !== membership.id()) return { replica: owner, epoch };
    const others = membership.others();
    const replica = others[this.#next++ % others.length];
    return replica && { replica, epoch: undefined };
  }

  #remember(project: string, { replica, epoch }: Elsewhere): Elsewhere {
    this.#known.delete(project);
    this.#known.set(project, { replica, epoch });
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest);
    return { replica, epoch };
  }
}
