/** Unsaved texts by the name of the opened scenario. They are kept while another screen is open. */
import { createStore, type Store } from '../../../data/store.ts';

export const unsavedTexts: Store<ReadonlyMap<string, string>> = createStore<ReadonlyMap<string, string>>(new Map());

/** Keeps a text; undefined removes it. */
export function keepText(opened: string, text: string | undefined): void {
  const next = new Map(unsavedTexts.get());
  if (text === undefined) next.delete(opened);
  else next.set(opened, text);
  unsavedTexts.set(next);
}
