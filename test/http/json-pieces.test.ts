/** Long JSON in pieces: the same text as in one, and never much at a time. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toJsonPieces } from '../../src/http/json-pieces.ts';

test('all pieces together equal JSON.stringify', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()))), (value) => {
      expect([...toJsonPieces(value)].join('')).toBe(JSON.stringify(value));
    }),
  );
});

test.each([
  [{}, '{}'],
  [{ a: undefined, b: [], c: [undefined, { d: undefined }] }, '{"b":[],"c":[null,{}]}'],
  [{ a: undefined }, '{}'],
])('%j', (value, text) => {
  expect([...toJsonPieces(value)]).toEqual([text]);
});

test.each(['', 'x'])('a long text after %j is split between characters', (before) => {
  const value = { list: [`${before}${'😀'.repeat(2 * 1024 ** 2)}`] };
  const pieces = [...toJsonPieces(value)];
  expect(pieces.length).toBeGreaterThan(3);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(1024 ** 2 + 1);
  const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  expect(bytes.equals(Buffer.from(JSON.stringify(value)))).toBe(true);
});

test('a list is iterated only as far as the requested piece', () => {
  let count = 0;
  function* list(): Generator<string> {
    for (; count < 100; count += 1) yield 'x'.repeat(64 * 1024);
  }
  const pieces = toJsonPieces({ list: list() })[Symbol.iterator]();
  pieces.next();
  expect(count).toBeLessThan(5);
  pieces.next();
  expect(count).toBeLessThan(10);
});

test('a long text inside an entry is written in pieces that equal JSON.stringify', () => {
  const body = '"\\\n😀\ud800'.repeat(400_000);
  const entry = { n: 1, request: { method: 'POST', gone: undefined, headers: { a: 'b' }, body }, list: [undefined, 1] };
  const pieces = [...toJsonPieces({ profile: { note: body }, changes: [{ n: 0 }, entry, { n: 2 }] })];
  expect(pieces.length).toBeGreaterThan(6);
  expect(pieces.join('')).toBe(JSON.stringify({ profile: { note: body }, changes: [{ n: 0 }, entry, { n: 2 }] }));
});
