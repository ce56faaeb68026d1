/** Which of the scenarios of one name the library finds. flows/transcripts/scenario-texts.txt has its maximum. */
import { expect, test } from 'vitest';
import { Library, type LibraryEntry, type LibrarySource } from '../../src/scenarios/library.ts';

const entry = (name: string, source: LibrarySource): LibraryEntry => ({
  name,
  source,
  text: '',
  scenario: { name, rules: [{ then: { refuse: source } }] },
});

test('a scenario overrides those of lower sources with its name, until it is removed', () => {
  const library = new Library([entry('a', 'control'), entry('a', 'shipped'), entry('a', 'option')]);
  library.put(entry('a', 'folder'));
  const found: unknown[] = [];
  for (const source of ['control', 'option', 'folder', 'shipped'] as const) {
    found.push(library.find('a')?.source);
    expect([library.remove('a', source), library.remove('a', source)]).toEqual([true, false]);
  }
  expect(found).toEqual(['control', 'option', 'folder', 'shipped']);
  expect(library.find('a')).toBeUndefined();
});
