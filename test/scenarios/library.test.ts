/** The library of scenarios: which of one name is found, and what is said of those that are not. */
import { expect, test } from 'vitest';
import {
  createLibrary,
  type LibraryEntry,
  type LibrarySource,
  maxStoredScenarios,
  toUnknownName,
} from '../../src/scenarios/library.ts';

const entry = (name: string, source: LibrarySource): LibraryEntry => ({
  name,
  source,
  text: '',
  scenario: { name, rules: [{ then: { refuse: source } }] },
});

test('a scenario overrides those of lower sources with its name, until it is removed', () => {
  const library = createLibrary([entry('a', 'control'), entry('a', 'shipped'), entry('a', 'option')]);
  library.put(entry('a', 'folder'));
  const found: unknown[] = [];
  for (const source of ['control', 'option', 'folder', 'shipped'] as const) {
    found.push(library.find('a')?.source);
    expect([library.remove('a', source), library.remove('a', source)]).toEqual([true, false]);
  }
  expect(found).toEqual(['control', 'option', 'folder', 'shipped']);
  expect(library.find('a')).toBeUndefined();
});

test('the control API stores at most 1,000 scenarios; new versions and files are always accepted', () => {
  const library = createLibrary([]);
  for (let n = 0; n < maxStoredScenarios; n += 1) {
    expect(library.put(entry(`s-${n}`, 'control'))).toBe(true);
    expect(library.put(entry(`s-${n}`, 'folder'))).toBe(true);
  }
  expect(library.put(entry('one-more', 'control'))).toBe(false);
  expect(library.find('one-more')).toBeUndefined();
  expect(library.put(entry('s-1', 'control'))).toBe(true);
  expect(library.put(entry('one-more', 'folder'))).toBe(true);
  library.remove('s-1', 'control');
  expect(library.put(entry('one-more', 'control'))).toBe(true);
});

test.each([
  ['outige', 'there is no scenario "outige", did you mean outage?; GET /_sandbox/scenarios lists them'],
  ['x'.repeat(65), `there is no scenario "${'x'.repeat(64)}"; GET /_sandbox/scenarios lists them`],
])('the unknown name %s gets a suggestion and the place of the list', (name, said) => {
  expect(toUnknownName(name, [{ name: 'flaky' }, { name: 'outage' }])).toBe(said);
});
