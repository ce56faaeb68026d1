/** Loads a project's callbacks, oldest first, and reloads only those that have changed. */
import { ApiError, callApi, listAll, projectPath } from '../../data/client.ts';
import type { Callback } from './labels.ts';

/** Maximum number of changed callbacks that are reloaded one by one. If more have changed, all are reloaded. */
const maxOneByOne = 20;

export interface CallbackList {
  /** Returns the current callbacks. */
  load(): Promise<readonly Callback[]>;
  /** Marks a callback as changed or new. */
  markChanged(id: string): void;
  /** Discards all loaded callbacks. */
  discard(): void;
}

export function createCallbackList(project: string): CallbackList {
  const path = projectPath(project, '/callbacks');
  let loaded: ReadonlyMap<string, Callback> | undefined;
  let stale = new Set<string>();
  /** Number of discards. A load that started before a discard must not store its result. */
  let discards = 0;

  async function loadAll(): Promise<ReadonlyMap<string, Callback>> {
    return toMap(await listAll<Callback>(path, Number.POSITIVE_INFINITY));
  }

  async function loadChanges(
    previous: ReadonlyMap<string, Callback>,
    changed: readonly string[],
  ): Promise<ReadonlyMap<string, Callback>> {
    const last = [...previous.keys()].at(-1);
    if (last === undefined) return loadAll();
    const old = changed.filter((id) => previous.has(id));
    if (old.length > maxOneByOne) return loadAll();
    const reloaded = await Promise.all(old.map((id) => callApi<Callback>('GET', `${path}/${encodeURIComponent(id)}`)));
    const added =
      old.length === changed.length ? [] : await listAll<Callback>(`${path}?since=${last}`, Number.POSITIVE_INFINITY);
    // A callback that was loaded before keeps its position.
    return new Map([...previous, ...toMap([...reloaded, ...added])]);
  }

  return {
    load: async () => {
      const changed = [...stale];
      const previous = loaded;
      const discardsAtStart = discards;
      let found: ReadonlyMap<string, Callback>;
      stale = new Set();
      try {
        found = previous ? await loadChanges(previous, changed) : await loadAll();
      } catch (error) {
        for (const id of changed) stale.add(id);
        const isGone = error instanceof ApiError && (error.status === 404 || error.status === 400);
        if (!isGone || !previous) throw error;
        // The project was reset in the meantime.
        found = await loadAll();
      }
      if (discardsAtStart === discards) loaded = found;
      return [...found.values()];
    },
    markChanged: (id) => stale.add(id),
    discard: () => {
      discards += 1;
      loaded = undefined;
    },
  };
}

function toMap(all: readonly Callback[]): ReadonlyMap<string, Callback> {
  return new Map(all.map((one) => [one.id, one]));
}
