import { expect, test } from 'vitest';
import { createText, fillTemplate, findMistakes, parseTemplate, placeholdersOf } from '../../src/lib/template.ts';

const values = { message: 'no "id"\n{code}', count: 2, list: [1], absent: undefined };
const items = {
  error: [
    { path: '/a', message: 'A' },
    { path: '/b', message: 'B' },
  ],
};
const fill = (template: unknown) => fillTemplate(parseTemplate(template), values, items);

test.each<readonly [what: string, template: unknown, filled: unknown]>([
  ['a value keeps its type', { n: '{count}', all: '{list}' }, { n: 2, all: [1] }],
  ['a text with more than a placeholder is text', '{count} of {list}', '2 of [1]'],
  ['a value is never parsed again', { m: 'x {message}' }, { m: 'x no "id"\n{code}' }],
  ['an absent value drops its key', { a: '{absent}', b: 'x {absent}', c: [1, '{absent}'], d: {} }, { c: [1], d: {} }],
  ['a list of one item with a name repeats', [{ at: '{error.path}' }], [{ at: '/a' }, { at: '/b' }]],
  [
    'the name may be deep inside',
    { all: [{ a: [{ m: '{error.message}!' }] }] },
    { all: [{ a: [{ m: 'A!' }] }, { a: [{ m: 'B!' }] }] },
  ],
  ['a longer list does not repeat', ['{error.path}', 'x'], ['/a', 'x']],
  ['outside a list it is the first item', { field: '{error.path}' }, { field: '/a' }],
  ['a list of no items is absent', { all: ['{entry.id}'] }, {}],
  ['constants stay', { a: 1, b: null, c: [true, 'x'] }, { a: 1, b: null, c: [true, 'x'] }],
  ['double braces are braces', { a: '{{count}}', b: '{{{count}}}' }, { a: '{count}', b: '{2}' }],
])('%s', (_, template, filled) => {
  expect(fill(template)).toStrictEqual(filled);
});

test('the placeholders of a template, in order', () => {
  expect(placeholdersOf({ a: '{x} {y}', b: ['{z}', 1], c: [{ d: '{error.path}' }] })).toEqual([
    'x',
    'y',
    'z',
    'error.path',
  ]);
});

test('mistakes are unknown placeholders and single braces', () => {
  expect(findMistakes({ a: ['{mesage}', '{message}', '{{ok}}'], b: 'a { b' }, ['message'])).toEqual([
    { path: ['a', 0], kind: 'unknown', name: 'mesage' },
    { path: ['b'], kind: 'brace', name: '{' },
  ]);
});

test('a text is undefined if a value is absent', () => {
  expect(createText('t={count},v1={list}')(values)).toBe('t=2,v1=[1]');
  expect(createText('{absent}')(values)).toBeUndefined();
  expect(createText('')(values)).toBe('');
});
