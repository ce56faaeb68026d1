import { expect, it } from 'vitest';
import { guessDurations } from '../../src/diagnostics/duration-guess.ts';
import { parseDuration } from '../../src/lib/duration.ts';

it.each([
  [2, ['2s', '2ms']],
  ['200', ['200s', '200ms']],
  [' 2 s', ['2s']],
  ['2 seconds', ['2s']],
  ['2sec.', ['2s']],
  ['5MIN', ['5m']],
  ['1 hr', ['1h']],
  ['3days', ['3d']],
  ['100 msec', ['100ms']],
  ['1w', ['7d']],
  ['1,5s', ['1.5s']],
  ['PT2S', ['2s']],
  ['1m30s', ['90s']],
  ['1h 30m', ['90m']],
  ['1s5ms', ['1005ms']],
])('%j was meant for %j', (value, guesses) => {
  expect(guessDurations(value)).toEqual(guesses);
  for (const guess of guesses) expect(parseDuration(guess), guess).toBeDefined();
});

it.each([['soon'], ['-2s'], ['1.2.3s'], [''], [null], [{}], ['9'.repeat(30)], [`${'1s'.repeat(100)}`]])(
  'nothing can be told of %j',
  (value) => expect(guessDurations(value)).toEqual([]),
);
