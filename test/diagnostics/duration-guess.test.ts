import { expect, it } from 'vitest';
import { guessDurations } from '../../src/diagnostics/duration-guess.ts';

it.each([
  [2, ['2s', '2ms']],
  ['200', ['200s', '200ms']],
  [' 2 s', ['2s']],
  ['2 seconds', ['2s']],
  ['5MIN', ['5m']],
  ['1.5 hrs', ['1.5h']],
  ['3days', ['3d']],
  ['100 msec', ['100ms']],
])('guesses for %j: %j', (value, guesses) => {
  expect(guessDurations(value)).toEqual(guesses);
});

it.each([['soon'], ['5 months'], ['-2s'], ['1.2.3s'], [''], [null], [{}], ['9'.repeat(30)], ['1s'.repeat(100)]])(
  'has no guess for %j',
  (value) => expect(guessDurations(value)).toEqual([]),
);
