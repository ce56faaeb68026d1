/** Counts the requests that match a filter, for clients that wait until there are enough. */
import type { JournalEntry } from '../../journal/entry.ts';
import type { ItemCounter } from '../awaiting.ts';
import type { ControlParts, ControlRequest } from '../handler.ts';
import { matchesAll, type RequestFilter } from './filter.ts';
import { isListed, listHere } from './journal-list.ts';

type Parts = Pick<ControlParts, 'journal' | 'projects' | 'wall'>;

/** How long changes are collected until the changed requests are tested again. */
const collectMs = 100;

export function countRequests(
  parts: Parts,
  filter: RequestFilter,
  { outcome }: ControlRequest['query'],
  project?: string,
): ItemCounter {
  if (outcome !== undefined) return countOutcomes(parts, filter, project);
  const { journal } = parts;
  return {
    count: () => {
      const tests = filter();
      return listHere(journal, project).filter((entry) => matchesAll(tests, entry)).length;
    },
    subscribe: (changed) =>
      journal.subscribe((entry) => {
        if (isListed(entry, project) && matchesAll(filter(), entry)) changed(1);
      }),
  };
}

/** Counts requests whose outcome may change after the response: tests the changed ones again. */
function countOutcomes({ journal, projects, wall }: Parts, filter: RequestFilter, project?: string): ItemCounter {
  /** Ids of the requests that matched when they were last tested. */
  const matching = new Set<string>();

  function count(): number {
    const tests = filter();
    matching.clear();
    for (const entry of listHere(journal, project)) if (matchesAll(tests, entry)) matching.add(entry.id);
    return matching.size;
  }

  /** Tests requests again. Returns the difference of the count. */
  function recount(ids: ReadonlySet<string>): number {
    const tests = filter(ids);
    const before = matching.size;
    for (const entry of findLatest(listHere(journal, project), ids)) {
      if (matchesAll(tests, entry)) matching.add(entry.id);
      else matching.delete(entry.id);
    }
    return matching.size - before;
  }

  function subscribe(changed: (by: number) => void): () => void {
    let ids = new Set<string>();
    let cancel: (() => void) | undefined;
    const test = (id: string): void => {
      ids.add(id);
      cancel ??= wall.after(collectMs, () => {
        const collected = ids;
        ids = new Set();
        cancel = undefined;
        const by = recount(collected);
        if (by !== 0) changed(by);
      });
    };
    const isWatched = (id: string): boolean => project === undefined || id === project;
    const ends = [
      journal.onStored((_, item) => {
        if ('request' in item && isListed(item.request, project)) test(item.request.id);
      }),
      projects.onCallback((id, { requestId }) => isWatched(id) && test(requestId)),
      projects.onCommandApplied((id, requestId) => isWatched(id) && test(requestId)),
    ];
    return () => {
      cancel?.();
      for (const end of ends) end();
    };
  }

  return { count, subscribe };
}

/** Finds requests by id, the newest first: most that change are recent. Stops after the last one. */
function* findLatest(entries: readonly JournalEntry[], ids: ReadonlySet<string>): Generator<JournalEntry> {
  let left = ids.size;
  for (let index = entries.length - 1; index >= 0 && left > 0; index -= 1) {
    const entry = entries[index] as JournalEntry;
    if (!ids.has(entry.id)) continue;
    left -= 1;
    yield entry;
  }
}
