/** What is in a template. flows/transcripts/profile-forms.txt has how templates are filled. */
import { expect, test } from 'vitest';
import { createText, findMistakes, placeholdersOf } from '../../src/lib/template.ts';

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
  expect(createText('t={count},v1={list}')({ count: 2, list: [1] })).toBe('t=2,v1=[1]');
  expect(createText('{absent}')({ absent: undefined })).toBeUndefined();
  expect(createText('')({})).toBe('');
});
