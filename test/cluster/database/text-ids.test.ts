/** Ids of projects that PostgreSQL does not accept as they are. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromTextId, toTextId, toTextPattern } from '../../../src/cluster/database/text-ids.ts';
import { matchesGlob } from '../../../src/scenarios/glob.ts';

test('every id has a text of its own, without NUL and lone surrogates', () => {
  const unit = fc.constantFrom('a', '\\', '0', 'd', '\0', '\ud83d', '\udce6', 'ü');
  fc.assert(
    fc.property(fc.string({ unit }), (id) => {
      const text = toTextId(id);
      expect(fromTextId(text)).toBe(id);
      expect(text).not.toContain('\0');
      expect(text).not.toMatch(/\p{Surrogate}/u);
    }),
  );
});

test('usual ids stay as they are', () => {
  for (const id of ['demo', 'a/b', '..', '%2F', '📦', "it's", ' ']) expect(toTextId(id)).toBe(id);
});

/** Whether a text matches a pattern of LIKE. */
function isLike(text: string, pattern: string): boolean {
  const parts = pattern.replace(/\\(.)|%|[^\\%]/gsu, (found, escaped?: string) =>
    found === '%' ? '[^]*' : (escaped ?? found).replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'),
  );
  return new RegExp(`^${parts}$`, 'u').test(text);
}

test.each(['acme-*', 'a?b', 'a\\*', '?-\0*', '??', 'a_%*\ud83d-'])(
  'the pattern of %j finds what the glob names',
  (glob) => {
    for (const id of ['acme-1', 'acme-\\\ud83d-', 'a\\b', 'a\\', '\\-\0', '📦', 'a_%\\\ud83d-', 'a\0b', 'axb']) {
      if (matchesGlob(glob, id)) expect(isLike(toTextId(id), toTextPattern(glob)), id).toBe(true);
    }
  },
);

test('a pattern finds only ids with the characters of its glob', () => {
  const ids = ['a_b', 'a%b', 'axb', 'a\\b'];
  const found = (glob: string) => ids.filter((id) => isLike(toTextId(id), toTextPattern(glob)));
  expect([found('a_*'), found('a%*'), found('a\\*'), found('a?b')]).toEqual([['a_b'], ['a%b'], ['a\\b'], ids]);
});
