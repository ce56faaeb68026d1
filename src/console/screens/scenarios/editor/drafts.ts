/** Unsaved texts by the name of the opened scenario. They are kept while another screen is open, until the session ends. */

import { draft } from '../../../data/scenario-draft.ts';
import { onSessionEnd } from '../../../data/session-end.ts';
import { createStore, type Store } from '../../../data/store.ts';

export const unsavedTexts: Store<ReadonlyMap<string, string>> = createStore<ReadonlyMap<string, string>>(new Map());
onSessionEnd(() => unsavedTexts.set(new Map()));

/** Keeps a text; undefined removes it. */
export function keepText(opened: string, text: string | undefined): void {
  const next = new Map(unsavedTexts.get());
  if (text === undefined) next.delete(opened);
  else next.set(opened, text);
  unsavedTexts.set(next);
}

/**
 * Forgets the text that was saved under a name. What was typed since then is kept: as a change of the saved scenario if
 * the editor is still open, otherwise where it was typed.
 */
export function forgetSaved(opened: string, name: string, text: string, isOpen: boolean): void {
  const typed = (opened === 'new' ? draft.get() : unsavedTexts.get().get(opened)) || text;
  if (typed !== text && !isOpen) return;
  if (opened === 'new') draft.set('');
  else keepText(opened, undefined);
  keepText(name, typed === text ? undefined : typed);
}
