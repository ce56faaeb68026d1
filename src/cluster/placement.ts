/** Finds the replica that owns a project, claims projects that none owns, and gives projects up. */
import { ProjectLost } from '../project/persistence/store-errors.ts';
import type { ClusterDatabase, Replica } from './database/cluster-database.ts';
import type { Membership } from './membership.ts';
import type { OwnedStore, Released } from './store/owned-store.ts';

/** Another replica, and its claim of the project; without a claim, one that may claim the project. */
export interface Elsewhere {
  readonly replica: Replica;
  readonly epoch: number | undefined;
}

/** Where a request for a project is handled; `nowhere`: the project does not exist. */
export type Location = { readonly at: 'here' } | { readonly at: 'nowhere' } | ({ readonly at: 'there' } & Elsewhere);

export interface Placement {
  /**
   * Finds a project. With `creates`, claims it for this replica if it does not exist.
   * @throws ProjectLost if this replica has left
   */
  locate(project: string, creates: boolean): Promise<Location>;
  /** Forgets who owns a project that was not where it should be. */
  forget(project: string): void;
  /** Gives a project up that is not in memory, and that has nothing to write. */
  giveUp(project: string, released: Released): void;
  /** Gives a project up once `prepare` has resolved. Requests for it wait until then. */
  handOver(project: string, prepare: () => Promise<Released | undefined>): Promise<void>;
  /** Claims no more projects, as long as there are other replicas. */
  leave(): void;
  /** Asks the owner of a project, which this replica cannot reach, to give it up. */
  want(project: string): Promise<void>;
  /**
   * Looks for projects whose claim got no answer: it may arrive late, and then no other replica takes them over. Call it at
   * each beat. @returns those that this replica owns now
   */
  findDoubtful(): Promise<readonly string[]>;
  /** Resolves when no project is being given up. */
  settled(): Promise<void>;
}

interface Parts {
  readonly database: ClusterDatabase;
  readonly membership: Pick<Membership, 'id' | 'others' | 'rejoined' | 'verify' | 'events'>;
  readonly store: Pick<OwnedStore, 'owns' | 'admit' | 'lose'>;
  /** Adds the journal of a project to the one of this replica, before it is admitted. */
  restoreJournal(project: string, items: readonly string[]): void;
  /** Drops a journal that was restored in vain. */
  dropJournal(project: string): void;
  reportError(error: unknown): void;
}

/** Maximum number of places that are remembered. */
const maxKnown = 10_000;
/** For how many beats, after the database is back, a claim without an answer may arrive late. */
const doubtfulBeats = 4;

export function createPlacement(parts: Parts): Placement {
  const { database, membership, store, reportError } = parts;
  /** Owners of other projects, as last seen. */
  const known = new Map<string, Elsewhere>();
  /** Claims and searches under way. */
  const searches = new Map<string, Promise<Location>>();
  const givingUp = new Map<string, Promise<void>>();
  /** Projects whose claim got no answer, and for how many beats they are looked for. */
  const doubtful = new Map<string, number>();
  let isLeaving = false;
  let next = 0;
  membership.events.on('gone', (gone) => {
    const ids = new Set(gone.map(({ id }) => id));
    for (const [project, { replica }] of known) if (ids.has(replica.id)) known.delete(project);
  });

  async function locate(project: string, creates: boolean): Promise<Location> {
    for (let moving = givingUp.get(project); moving; moving = givingUp.get(project)) await moving;
    if (store.owns(project)) return { at: 'here' };
    const elsewhere = known.get(project);
    if (elsewhere) return { at: 'there', ...elsewhere };
    const found = await searchOnce(project, creates);
    // Another caller may have searched without creating it.
    return creates && found.at === 'nowhere' ? locate(project, creates) : found;
  }

  async function searchOnce(project: string, creates: boolean): Promise<Location> {
    const earlier = searches.get(project);
    if (!earlier) return search(project, creates);
    const found = await earlier;
    // It may have begun before the project was created. One that is under way now began after this call.
    return found.at === 'nowhere' ? (searches.get(project) ?? search(project, creates)) : found;
  }

  function search(project: string, creates: boolean): Promise<Location> {
    const searching = (creates ? claim(project) : find(project)).finally(() => searches.delete(project));
    searches.set(project, searching);
    return searching;
  }

  async function find(project: string): Promise<Location> {
    const place = await database.locate(project);
    if (place.owner === 'none') return { at: 'nowhere' };
    if (place.owner === 'replica' && place.replica.id !== membership.id()) return remember(project, place);
    return claim(project);
  }

  async function claim(project: string): Promise<Location> {
    await membership.rejoined();
    const elsewhere = await findElsewhere(project);
    if (elsewhere) return { at: 'there', ...elsewhere };
    const id = membership.id();
    const claimed = await database.claim(project, id).catch((error: unknown) => {
      doubtful.set(project, doubtfulBeats);
      throw error;
    });
    if (claimed.owner === 'other') return remember(project, claimed);
    if (claimed.owner === 'me') {
      parts.restoreJournal(project, claimed.items);
      await store.admit(project, claimed);
    }
    // A claim under an id that was fenced meanwhile protects nothing.
    if (claimed.owner === 'me' && membership.id() === id) return { at: 'here' };
    parts.dropJournal(project);
    store.lose(project);
    // After it has left, this replica remains fenced.
    if (isLeaving) throw new ProjectLost(project);
    await membership.verify().catch(() => undefined);
    return find(project);
  }

  /** After this replica has left, finds the one that owns a project, or else one that may claim it. */
  async function findElsewhere(project: string): Promise<Elsewhere | undefined> {
    if (!isLeaving) return undefined;
    const place = await database.locate(project);
    if (place.owner === 'replica' && place.replica.id !== membership.id())
      return { replica: place.replica, epoch: place.epoch };
    const others = membership.others();
    const replica = others[next++ % others.length];
    return replica && { replica, epoch: undefined };
  }

  function remember(project: string, { replica, epoch }: Elsewhere): Location {
    known.delete(project);
    known.set(project, { replica, epoch });
    const [oldest] = known.keys();
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
    return { at: 'there', replica, epoch };
  }

  function moving(project: string, move: () => Promise<void>): Promise<void> {
    const done = move()
      .catch(reportError)
      .finally(() => {
        if (givingUp.get(project) === done) givingUp.delete(project);
      });
    givingUp.set(project, done);
    return done;
  }

  return {
    locate,
    forget: (project) => void known.delete(project),
    giveUp: (project, { epoch, summary }) =>
      void moving(project, async () => {
        parts.dropJournal(project);
        await database.release(project, epoch, summary);
      }),
    handOver: (project, prepare) =>
      moving(project, async () => {
        const released = await prepare();
        if (released) await database.release(project, released.epoch, released.summary);
      }),
    leave: () => {
      isLeaving = true;
    },
    want: (project) => database.want(project, membership.id()),
    findDoubtful: async () => {
      const found: string[] = [];
      for (const [project, beats] of doubtful) {
        if (beats === 0 || isLeaving || store.owns(project)) {
          doubtful.delete(project);
          continue;
        }
        const { at } = await searchOnce(project, false);
        doubtful.set(project, beats - 1);
        if (at === 'here') found.push(project);
      }
      return found;
    },
    settled: async () => {
      await Promise.all(givingUp.values());
    },
  };
}
