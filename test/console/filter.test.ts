/** The filters of lists: what they say of values of a link. */
import { expect, test } from 'vitest';
import { describeFilter, type Filter, ownOf } from '../../src/console/filter.ts';

test('a value with the name of a method of all objects is that text', () => {
  const filter: Filter = { kind: 'any', key: 'status', title: 'Status', titles: { '4xx': '4xx rejected' } };
  expect(describeFilter(filter, { status: '4xx,constructor' })).toBe('4xx rejected or constructor');
  expect(ownOf({}, 'toString')).toBeUndefined();
});
