/** The check of a text is cheap for every text, because anybody with a key may send one. */
import { afterEach, expect, test, vi } from 'vitest';
import { Alias } from 'yaml';
import { runAll } from '../../src/lib/slices.ts';
import { checkText } from '../../src/scenarios/parse.ts';

afterEach(() => vi.restoreAllMocks());

test('a text of many aliases gets at most 100 warnings, and no search of the text for each', () => {
  const resolve = vi.spyOn(Alias.prototype, 'resolve');
  const rule = '&rule { chance: 0, then: { refuse: No } }';
  const text = `name: many\nrules:\n  - ${rule}\n${'  - *rule\n'.repeat(1000)}`;
  const { errors, warnings } = runAll(checkText(text, 'scenario'));
  expect(errors).toEqual([]);
  expect(warnings).toHaveLength(100);
  expect(new Set(warnings.map(({ line }) => line))).toEqual(new Set([3]));
  expect(resolve.mock.calls.filter(([, context]) => context === undefined)).toEqual([]);
});
