/** File names of projects: unique even if case is ignored, and valid on every file system. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toFileName } from '../../../../src/project/persistence/format/file-name.ts';

test.each([
  ['demo-1_a', 'demo-1_a.json'],
  ['Demo', '%44emo.json'],
  ['100%', '100%25.json'],
  ['a/b\\c', 'a%2Fb%5Cc.json'],
  ['.', '%2E.json'],
  ['..', '%2E%2E.json'],
  ['', '%.json'],
  ['über', '%C3%BCber.json'],
  ['🚚', '%F0%9F%9A%9A.json'],
  ['a\u0000b', 'a%00b.json'],
  ['con', '%63on.json'],
  ['lpt1', '%6Cpt1.json'],
  ['console', 'console.json'],
  ['__proto__', '__proto__.json'],
  ['\ud800', '%ud800.json'],
  ['a\udfff', 'a%udfff.json'],
])('the file of %j is %s', (id, name) => {
  expect(toFileName(id)).toBe(name);
});

test('shortens a very long id to a unique name', () => {
  const long = (end: string) => toFileName(`${'x'.repeat(299)}${end}`);
  expect(long('a')).toMatch(/^x{120}~[0-9a-f]{64}\.json$/);
  expect(long('a')).not.toBe(long('b'));
  expect(long('\ud800')).not.toBe(long('\ud801'));
  expect(toFileName('🚚'.repeat(300)).length).toBeLessThan(246);
  expect(toFileName('y'.repeat(200))).toBe(`${'y'.repeat(200)}.json`);
});

test('different ids have different names, even if case is ignored', () => {
  const id = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('\ud800', '\udc00', '\ufffd', 'u', '%', 'd'), maxLength: 4 }),
    fc.string({ unit: fc.constantFrom('a', 'A', '%', '4', '1', '~', '.'), maxLength: 5 }),
  );
  fc.assert(
    fc.property(id, id, (one, other) => {
      fc.pre(one !== other);
      expect(toFileName(one).toLowerCase()).not.toBe(toFileName(other).toLowerCase());
      expect(toFileName(one)).toMatch(/^[A-Za-z0-9_%~-]+\.json$/);
    }),
    { numRuns: 1000 },
  );
});
