/** A project's callbacks, oldest first, asked for again only as far as they have changed. */
import { ask, askAll, ofProject, Refusal } from '../data/client.ts';
import type { Callback } from './callbacks-words.ts';

/** Of more that have changed at once, all are asked for. */
const mostOneByOne = 20;

export interface CallbackList {
  /** What there is now. */
  look(): Promise<readonly Callback[]>;
  /** This one is another than it was, or new. */
  changed(id: string): void;
  /** Nothing that was known counts any more. */
  forget(): void;
}

export function createCallbackList(project: string): CallbackList {
  const path = ofProject(project, '/callbacks');
  let known: ReadonlyMap<string, Callback> | undefined;
  let stale = new Set<string>();
  /** How often all was forgotten: what was asked for before that does not count. */
  let forgotten = 0;

  async function loadAll(): Promise<ReadonlyMap<string, Callback>> {
    return toMap(await askAll<Callback>(path, Number.POSITIVE_INFINITY));
  }

  async function loadChanges(
    before: ReadonlyMap<string, Callback>,
    changed: readonly string[],
  ): Promise<ReadonlyMap<string, Callback>> {
    const last = [...before.keys()].at(-1);
    if (last === undefined) return loadAll();
    const old = changed.filter((id) => before.has(id));
    if (old.length > mostOneByOne) return loadAll();
    const again = await Promise.all(old.map((id) => ask<Callback>('GET', `${path}/${encodeURIComponent(id)}`)));
    const added =
      old.length === changed.length ? [] : await askAll<Callback>(`${path}?since=${last}`, Number.POSITIVE_INFINITY);
    // One that is known keeps its place.
    return new Map([...before, ...toMap([...again, ...added])]);
  }

  return {
    look: async () => {
      const changed = [...stale];
      const before = known;
      const begun = forgotten;
      let found: ReadonlyMap<string, Callback>;
      stale = new Set();
      try {
        found = before ? await loadChanges(before, changed) : await loadAll();
      } catch (error) {
        for (const id of changed) stale.add(id);
        const isGone = error instanceof Refusal && (error.status === 404 || error.status === 400);
        if (!isGone || !before) throw error;
        // The project was reset meanwhile.
        found = await loadAll();
      }
      if (begun === forgotten) known = found;
      return [...found.values()];
    },
    changed: (id) => stale.add(id),
    forget: () => {
      forgotten += 1;
      known = undefined;
    },
  };
}

function toMap(all: readonly Callback[]): ReadonlyMap<string, Callback> {
  return new Map(all.map((one) => [one.id, one]));
}
