/** What someone probably meant: the closest of the names that exist, and none where nothing is close. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { didYouMean, nearest } from '../../src/lib/nearest.ts';

const names = ['customer', 'status', 'deliveryDate', 'DELIVERED', 'UNDELIVERED', 'rate-limit'];

test.each([
  ['custommer', 'customer'],
  ['cutsomer', 'customer'],
  ['Status', 'status'],
  ['delivery_date', 'deliveryDate'],
  ['delivery date', 'deliveryDate'],
  ['DELIVERD', 'DELIVERED'],
  ['undeliverd', 'UNDELIVERED'],
  ['ratelimit', 'rate-limit'],
  ['stat', undefined],
  ['colour', undefined],
  ['', undefined],
  ['customer'.repeat(10), undefined],
])('%s is meant to be %s', (name, meant) => {
  expect(nearest(name, names)).toBe(meant);
});

test('two neighbours that changed places are one difference', () => {
  expect(nearest('form', ['to', 'from'])).toBe('from');
  expect(nearest('depht', ['body', 'depth'])).toBe('depth');
  expect(nearest('forn', ['to', 'from'])).toBeUndefined();
});

test('it is told so that it ends a message', () => {
  expect(didYouMean('DELIVERD', names)).toBe(', did you mean DELIVERED?');
  expect(didYouMean('status', names)).toBe('');
  expect(didYouMean('colour', names)).toBe('');
});

test('a name that exists is always nearest to itself, and none is found where there are none', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 40 }), (name) => {
      expect(nearest(name, [name])).toBe(name);
      expect(nearest(name, [])).toBeUndefined();
    }),
  );
});
