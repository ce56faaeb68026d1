/** Ids of projects that PostgreSQL does not accept as they are. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromTextId, toTextId } from '../../../src/cluster/database/text-ids.ts';

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
