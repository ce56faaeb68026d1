/** Tests the suggestion of an existing name for a misspelled one. */
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
])('suggests for %s: %s', (name, meant) => {
  expect(nearest(name, names)).toBe(meant);
});

test('counts two swapped adjacent characters as one difference', () => {
  expect(nearest('form', ['to', 'from'])).toBe('from');
  expect(nearest('depht', ['body', 'depth'])).toBe('depth');
  expect(nearest('forn', ['to', 'from'])).toBeUndefined();
});

test('prefers the longer common start of two names that are as near', () => {
  expect(nearest('perEntries', ['retries', 'perEntry'])).toBe('perEntry');
});

test('suggests the shortest name that contains a part of it', () => {
  const operations = ['asyncImportJobsInSubproject', 'asyncImportJobs', 'submitLocation'];
  expect(nearest('importJobs', operations)).toBe('asyncImportJobs');
  expect(nearest('Jobs', operations)).toBeUndefined();
});

test('formats the suggestion as the end of a message', () => {
  expect(didYouMean('DELIVERD', names)).toBe(', did you mean DELIVERED?');
  expect(didYouMean('status', names)).toBe('');
  expect(didYouMean('colour', names)).toBe('');
});

test('an existing name is nearest to itself, and an empty list has no suggestion', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 40 }), (name) => {
      expect(nearest(name, [name])).toBe(name);
      expect(nearest(name, [])).toBeUndefined();
    }),
  );
});
