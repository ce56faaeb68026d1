import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesGlob } from '../../src/scenarios/glob.ts';

/** The same in a regular expression, which is simple and slow. */
function toExpression(pattern: string): RegExp {
  const escaped = pattern.replace(/[^*?]/g, '\\$&').replaceAll('*', '[^]*').replaceAll('?', '[^]');
  return new RegExp(`^${escaped}$`);
}

test('a glob matches the same texts as the equivalent regular expression', () => {
  const pattern = fc.string({ unit: fc.constantFrom('*', '?', '.', '-', '[', 'a', 'A'), maxLength: 8 });
  const text = fc.string({ unit: fc.constantFrom('*', '.', '-', '\n', '[', 'a', 'A'), maxLength: 12 });
  fc.assert(
    fc.property(pattern, text, (one, other) => matchesGlob(one, other) === toExpression(one).test(other)),
    {
      numRuns: 2000,
    },
  );
});

test('a text matches itself, and itself between stars', () => {
  const text = fc.string().filter((value) => !/[*?]/.test(value));
  fc.assert(
    fc.property(text, text, text, (before, middle, after) => {
      expect(matchesGlob(middle, middle)).toBe(true);
      expect(matchesGlob(`*${middle}*`, before + middle + after)).toBe(true);
    }),
  );
});

test.each([
  ['many stars', `${'*a'.repeat(500)}*b`],
  ['a long end', `*${'a'.repeat(500)}b`],
])('%s: a long text is not searched for ever', (_, pattern) => {
  expect(matchesGlob(pattern, 'a'.repeat(50_000))).toBe(false);
});
