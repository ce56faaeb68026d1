/** Tests that hashes are unique, evenly spread and reproducible. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHash } from '../../src/lib/random.ts';
import { amountOf } from '../harness/amounts.ts';

const many = amountOf('hashedTexts');
const families: readonly (readonly [string, (n: number) => string])[] = [
  ['numbers', (n) => `${n}`],
  ['padded numbers', (n) => String(n).padStart(12, '0')],
  ['order numbers', (n) => `ORD-2026-${n}`],
  ['numbers in front', (n) => `${n}-order-of-the-day`],
  ['hexadecimal', (n) => Math.imul(n, 0x9e3779b1).toString(16)],
  [
    'letters',
    (n) =>
      [n % 26, Math.floor(n / 26) % 26, Math.floor(n / 676) % 26, Math.floor(n / 17576)]
        .map((d) => String.fromCharCode(97 + d))
        .join(''),
  ],
  ['beyond ASCII', (n) => String.fromCharCode(0x400 + (n % 512), 0x4e00 + Math.floor(n / 512))],
];

describe.each(families)('%s', (_, toId) => {
  const hash = createHash('field-sandbox', 'acme', 'jobs');

  test(`${many} texts have different hashes`, () => {
    const seen = new Set<string>();
    for (let n = 0; n < many; n += 1) seen.add(hash.of(toId(n)));
    expect(seen.size).toBe(many);
  });

  test('fractions are evenly distributed', () => {
    const buckets = new Array<number>(100).fill(0);
    for (let n = 0; n < many; n += 1) {
      const bucket = Math.floor(hash.fraction(toId(n)) * 100);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    const expected = many / 100;
    const chiSquare = buckets.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // 99 degrees of freedom: chance alone exceeds 180 once in a million times.
    expect(chiSquare).toBeLessThan(180);
  });

  test('hashes of consecutive ids differ in half of the bits', () => {
    let differing = 0;
    for (let n = 0; n < 5000; n += 1) {
      let bits = BigInt(`0x${hash.of(toId(n))}`) ^ BigInt(`0x${hash.of(toId(n + 1))}`);
      for (; bits > 0n; bits &= bits - 1n) differing += 1;
    }
    expect(differing / 5000).toBeGreaterThan(31);
    expect(differing / 5000).toBeLessThan(33);
  });
});

test('different parts give different values', () => {
  const parts = [['a', 'b'], ['ab'], ['a', 'b', ''], ['', 'ab'], ['a'], ['b', 'a'], []];
  const found = parts.map((each) => createHash(...each).of('x'));
  expect(new Set(found).size).toBe(parts.length);
});

test('requests of a thousand projects have different ids', () => {
  const seen = new Set<string>();
  for (let project = 0; project < 1000; project += 1) {
    const hash = createHash('field-sandbox', `p-${project}`, 'request');
    for (let n = 1; n <= 100; n += 1) seen.add(hash.of(`${n}`));
  }
  expect(seen.size).toBe(100_000);
});

test('returns sixteen digits and a fraction below one, always the same for the same input', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), fc.string({ unit: 'binary' }), (parts, text) => {
      const hash = createHash(...parts);
      expect(hash.of(text)).toMatch(/^[0-9a-f]{16}$/);
      expect(hash.of(text)).toBe(createHash(...parts).of(text));
      expect(hash.fraction(text)).toBeGreaterThanOrEqual(0);
      expect(hash.fraction(text)).toBeLessThan(1);
    }),
  );
});

test('values do not change between versions', () => {
  expect(createHash('field-sandbox', 'acme', 'request').of('1')).toMatchInlineSnapshot(`"8e3dc6ba3d4a6a3b"`);
});
