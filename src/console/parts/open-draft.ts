/** Opens a text in the editor as a new scenario. */
import { linkTo } from '../data/route.ts';
import { draft, nameOf } from '../data/scenario-draft.ts';
import { confirmed } from './confirm.tsx';

/** Asks first if this replaces another unsaved text. With an empty text, the editor proposes one: of the starter `from`. */
export async function openDraft(text: string, from = ''): Promise<void> {
  const unsaved = draft.get();
  const question = {
    title: `Discard the unsaved ${nameOf(unsaved) || 'scenario'}?`,
    text: 'A new scenario replaces it.',
    action: 'Discard',
    isDanger: true,
  };
  if (unsaved !== '' && unsaved !== text && !(await confirmed(question))) return;
  draft.set(text);
  location.hash = linkTo('scenarios', { edit: 'new', from });
}
