import { expect, test } from 'vitest';
import { valueAt } from '../../src/lib/pointer.ts';
import { compileFields, loadExpressions } from '../../src/scenarios/matcher.ts';
import type { Matcher } from '../../src/scenarios/types.ts';

const expressions = await loadExpressions();

function matches(matcher: Matcher, value: unknown): boolean {
  return compileFields({ field: matcher }, expressions)[0]?.test(value) ?? false;
}

const rows: readonly (readonly [Matcher, readonly unknown[], readonly unknown[]])[] = [
  ['3000', ['3000', 3000], ['30001', '', null, undefined, ['3000']]],
  ['3*', ['3', '3000', 31], ['13', undefined, { a: 3 }]],
  ['true', ['true', true], [1]],
  ['*', ['', 'anything', 0, false], [undefined, null, [], {}]],
  [3000, [3000, '3000'], ['03000', 3001, undefined]],
  [false, [false, 'false'], [0, '', null, undefined]],
  [null, [null], [undefined, 0, '']],
  [{ in: ['A', 1, '2', null] }, ['A', 1, '1', 2, '2', null], ['a', 'null', '01', undefined]],
  [{ in: ['A*'] }, ['A*'], ['AB']],
  [{ matches: '^[A-Z]+$' }, ['ABC'], ['abc', '', undefined, null]],
  [{ matches: 'B' }, ['ABC', 'B'], ['b']],
  [{ matches: '^1' }, [12], [21]],
  [{ exists: true }, ['', null, 0, false, []], [undefined]],
  [{ exists: false }, [undefined], ['', null]],
  [{ gt: 5 }, [5.01, 6, '6', '10'], [5, 4, '5', 'x', undefined, null, Number.NaN]],
  [{ gte: 5, lte: 7 }, [5, 6, 7], [4.9, 7.1]],
  [{ lt: 0 }, [-1], [0, null, '']],
  [{ gte: '5', lt: '7' }, [5, '5', 6.9], [7, 4, 10]],
  [{ gte: 'b', lt: 'd' }, ['b', 'czz'], ['a', 'd', 3]],
];

test.each(rows)('%j matches only the right values', (matcher, fitting, others) => {
  expect(fitting.filter((value) => !matches(matcher, value))).toEqual([]);
  expect(others.filter((value) => matches(matcher, value))).toEqual([]);
});

test('an expression without a match ends, however often it could backtrack', () => {
  expect(matches({ matches: '^(a+)+$' }, `${'a'.repeat(20_000)}b`)).toBe(false);
  expect(matches({ matches: '(x*)*(x*)*y' }, 'x'.repeat(2_000))).toBe(false);
});

test.each([
  ['address.postcode', '3000'],
  ['jobs.1.id', 'B'],
  ['jobs.length', 2],
  ['jobs.2.id', undefined],
  ['address.postcode.0', undefined],
  ['constructor', undefined],
  ['address.__proto__', undefined],
  ['toString.name', undefined],
])('the value at the path %s is found', (path, value) => {
  const body = { address: { postcode: '3000' }, jobs: [{ id: 'A' }, { id: 'B' }] };
  expect(valueAt(body, path.split('.'))).toBe(value);
});

test('header names ignore case, and field names do not', () => {
  const [header, field] = compileFields({ 'headers.X-Client.Kind': 'a', 'address.PostCode': 'b' }, expressions);
  expect(header?.keys).toEqual(['headers', 'x-client.kind']);
  expect(field?.keys).toEqual(['address', 'PostCode']);
});

test.each<readonly [Matcher, readonly string[], readonly unknown[]]>([
  [3, ['3'], ['03', '3.', '', 'three', ['3']]],
  [true, ['true'], ['TRUE', '1']],
  [{ in: [1, 2] }, ['1', '2'], ['12']],
  [{ gt: 9 }, ['10', '9.5'], ['9', '-10', '10 s']],
  [{ gt: '1' }, ['10', 'a'], ['1', '0']],
  ['1*', ['1', '1.0'], ['01']],
  [{ exists: false }, [], ['0', 'false']],
])('a header value matches %j as a text or as the value that it spells', (matcher, fitting, others) => {
  const [field] = compileFields({ 'headers.x-attempt': matcher }, expressions);
  expect(fitting.filter((value) => !field?.test(value))).toEqual([]);
  expect(others.filter((value) => field?.test(value))).toEqual([]);
});
