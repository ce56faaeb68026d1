/** What the tabs show beside their titles, once they were opened: the number of problems, the coverage. */
import { createStore, type Store } from '../../data/store.ts';

export const tabCounts: Store<Readonly<Record<string, string>>> = createStore<Readonly<Record<string, string>>>({});

/** The counts belong to the chosen project, so a tab sets its count after each load. */
export function setTabCount(tab: string, count: string): void {
  if (tabCounts.get()[tab] !== count) tabCounts.set({ ...tabCounts.get(), [tab]: count });
}
