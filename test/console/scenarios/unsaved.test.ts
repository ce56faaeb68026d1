/** Text that is typed while a scenario is being saved is kept. */
import { expect, test } from 'vitest';
import { draft } from '../../../src/console/data/scenario-draft.ts';
import { forgetSaved, keepText, unsavedTexts } from '../../../src/console/screens/scenarios/editor/drafts.ts';

test.each([
  ['forgets the saved text', 'a', 'text', true, {}, ''],
  ['keeps what was typed since', 'a', 'typed', true, { a: 'typed' }, ''],
  ['keeps it if the editor was left', 'a', 'typed', false, { a: 'typed' }, ''],
  ['forgets a text without changes', 'a', undefined, true, {}, ''],
  ['forgets the draft of a new scenario', 'new', 'text', true, {}, ''],
  ['keeps what was typed into a new scenario as its change', 'new', 'typed', true, { a: 'typed' }, ''],
  ['keeps the draft of a new scenario that was left', 'new', 'typed', false, {}, 'typed'],
])('%s', (_what, opened, stored, isOpen, expectedTexts, expectedDraft) => {
  unsavedTexts.set(new Map());
  draft.set(opened === 'new' ? (stored ?? '') : '');
  if (opened !== 'new') keepText(opened, stored);
  forgetSaved(opened, 'a', 'text', isOpen);
  expect(Object.fromEntries(unsavedTexts.get())).toEqual(expectedTexts);
  expect(draft.get()).toBe(expectedDraft);
});
