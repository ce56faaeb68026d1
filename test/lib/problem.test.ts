/** The catalogue of refusals: each kind has the status that the interface promises. */
import { expect, test } from 'vitest';
import { catalogue, maxViolations, type ProblemKind } from '../../src/lib/problem.ts';

test.each<readonly [ProblemKind, number]>([
  ['invalid', 400],
  ['missingKey', 401],
  ['unknownKey', 401],
  ['foreignKey', 403],
  ['foreignOrigin', 403],
  ['notFound', 404],
  ['unknownPath', 404],
  ['unknownMethod', 405],
  ['duplicate', 409],
  ['conflict', 409],
  ['tooLarge', 413],
  ['unsupportedType', 415],
  ['misdirected', 421],
  ['downstream', 422],
  ['limited', 429],
  ['internal', 500],
])('%s is %d', (kind, status) => {
  expect(catalogue[kind]).toBe(status);
});

test('every status of the catalogue says that something went wrong', () => {
  for (const status of Object.values(catalogue)) expect(status).toBeGreaterThanOrEqual(400);
});

test('one answer lists a hundred mistakes', () => {
  expect(maxViolations).toBe(100);
});
