/** What the tabs show beside their titles, once it is loaded: the number of problems, the coverage. */
import { createStore, type Store } from '../../data/store.ts';

interface TabCount {
  /** The project that was counted; empty for all. */
  readonly project: string;
  readonly count: string;
}

type TabCounts = Readonly<Record<string, TabCount>>;

export const tabCounts: Store<TabCounts> = createStore<TabCounts>({});

export function setTabCount(tab: string, project: string, count: string): void {
  if (countOf(tab, project) !== count) tabCounts.set({ ...tabCounts.get(), [tab]: { project, count } });
}

/** Returns the count of a tab; undefined if it was not loaded for this project. */
export function countOf(tab: string, project: string): string | undefined {
  const found = tabCounts.get()[tab];
  return found?.project === project ? found.count : undefined;
}
