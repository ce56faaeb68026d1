/** Tests that the reader returns or throws the same as JSON.parse. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PiecedJson, readJsonInPieces } from '../../src/lib/json-reader.ts';

function read(text: string): PiecedJson & { readonly stops: number } {
  const reading = readJsonInPieces(text);
  for (let stops = 0; ; stops += 1) {
    const next = reading.next();
    if (next.done) return { ...next.value, stops };
  }
}

/** Enough jobs for several pieces, with texts inside that look like the end of an entry. */
const jobs = Array.from({ length: 12_000 }, (_, n) => ({
  id: `JOB-${n}`,
  notes: 'as in },{"id":"X"} or \\"]}, "quoted"',
  items: [{ id: 'inner' }, { id: 'next' }, [], {}],
  count: n % 7 ? n : null,
}));

describe.each([
  ['without spaces', (value: unknown) => JSON.stringify(value)],
  ['on many lines', (value: unknown) => JSON.stringify(value, null, 2)],
  ['with spaces', (value: unknown) => JSON.stringify(value).replaceAll('},{', '} , { ').replaceAll('":', '" : ')],
])('a text %s', (_, write) => {
  test.each([
    ['a list in an object', { jobs }],
    ['lists beside other fields', { version: 1, jobs, place: { a: [1, 2] }, orders: jobs.slice(0, 6000), none: [] }],
    ['a list alone', jobs],
    ['entries of other kinds', { jobs: jobs.flatMap((job, n) => [job, n, `text ${n}`, [job], null]) }],
    ['one entry that is longer than a piece', { jobs: [jobs, jobs] }],
  ])('with %s is read in pieces', (_name, value) => {
    const text = write(value);
    const found = read(text);
    const whole = JSON.parse(text) as Record<string, unknown[]>;
    // Texts are compared many times faster than values.
    expect(JSON.stringify(found.value) === JSON.stringify(whole)).toBe(true);
    expect(found.stops).toBeGreaterThan(1);
    for (const [name, pieces] of found.lists) {
      for (const piece of pieces) {
        const entries = JSON.parse(`[${piece.text}]`) as unknown[];
        const own = (whole[name] ?? []).slice(piece.first, piece.first + entries.length);
        expect(JSON.stringify(entries) === JSON.stringify(own)).toBe(true);
      }
    }
  });
});

test('pieces are not longer than necessary', () => {
  const pieces = read(JSON.stringify({ jobs })).lists.get('jobs') ?? [];
  const lengths = pieces.map(({ text }) => text.length);
  expect(Math.max(...lengths)).toBeLessThan(530_000);
});

test.each([
  '',
  ' ',
  '{',
  '[',
  '{}',
  ' { } ',
  '[]',
  '[ ]',
  '5',
  '"a"',
  'null',
  '{"a":1}',
  '{"a":1,}',
  '[1,]',
  '[,1]',
  '[1,,2]',
  '[1 2]',
  '{"a" 1}',
  '{a:1}',
  "{'a':1}",
  '{"a":}',
  '{"a":[1}]',
  '{"a":[1]]',
  '{"a":[1]}}',
  '{"a":[1]} x',
  '[1]x',
  '{"a":[1],"a":2}',
  '{"a":2,"a":[1]}',
  '{"__proto__":[1],"constructor":{"a":1}}',
  '{"\\u0061":[1,"\\"]"]}',
  '{"a":"\\\\","b":["\\\\"]}',
  '{"2":1,"1":[2]}',
  '{"a":[1],\u00a0"b":2}',
  '[1e5,-0,0.1]',
  '[01]',
  '["\n"]',
])('reads %j as JSON.parse does', (text) => {
  const parse = (): unknown => {
    try {
      return JSON.stringify([JSON.parse(text)]);
    } catch {
      return 'not JSON';
    }
  };
  const readIt = (): unknown => {
    try {
      return JSON.stringify([read(text).value]);
    } catch (error) {
      expect(error).toBeInstanceOf(SyntaxError);
      return 'not JSON';
    }
  };
  expect(readIt()).toBe(parse());
});

test('reads any value as JSON.parse does, also if it is truncated or changed', () => {
  const outcome = (run: () => unknown): string => {
    try {
      return JSON.stringify([run()]);
    } catch {
      return 'not JSON';
    }
  };
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    put: fc.constantFrom('', ',', '"', '}', ']', '{', '\\'),
  });
  const property = fc.property(fc.json(), fc.boolean(), fc.option(change), (json, isWrapped, changed) => {
    const whole = isWrapped ? `{"jobs":[${json},${json}],"n":${json}}` : json;
    const at = changed ? Math.floor(changed.at * whole.length) : 0;
    const text = changed ? whole.slice(0, at) + changed.put + whole.slice(at + 1) : whole;
    expect(outcome(() => read(text).value)).toBe(outcome(() => JSON.parse(text)));
  });
  fc.assert(property, { numRuns: 3000, seed: 20_261_122 });
});
