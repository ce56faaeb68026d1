/** Counts the requests that match a filter, for clients that wait until there are enough. */
import type { ItemCounter } from '../awaiting.ts';
import type { ControlParts, ControlRequest } from '../handler.ts';
import { matchesAll, type RequestFilter } from './filter.ts';
import { isListed, listHere } from './journal-list.ts';

/** How long changes are collected until requests are counted again: there may be 50,000. */
const collectMs = 100;

export function countRequests(
  { journal, projects, wall }: ControlParts,
  filter: RequestFilter,
  { outcome }: ControlRequest['query'],
  project?: string,
): ItemCounter {
  const count = (): number => {
    const tests = filter();
    return listHere(journal, project).filter((entry) => matchesAll(tests, entry)).length;
  };

  /** Counts again after changes: an outcome may change after the response. */
  function subscribeOutcomes(changed: (by: number) => void): () => void {
    let last = count();
    let cancel: (() => void) | undefined;
    const recount = (): void => {
      cancel = undefined;
      const now = count();
      changed(now - last);
      last = now;
    };
    const soon = (): void => {
      cancel ??= wall.after(collectMs, recount);
    };
    const ends = [journal.subscribe(soon), projects.onCallback(soon), projects.onCommandApplied(soon)];
    return () => {
      cancel?.();
      for (const end of ends) end();
    };
  }

  return {
    count,
    subscribe: (changed) =>
      outcome === undefined
        ? journal.subscribe((entry) => {
            if (isListed(entry, project) && matchesAll(filter(), entry)) changed(1);
          })
        : subscribeOutcomes(changed),
  };
}
