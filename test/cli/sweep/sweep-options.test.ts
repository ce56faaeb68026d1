/** Options of `sweep`: defaults, and every mistake at once. */
import { expect, test } from 'vitest';
import { parseSweepOptions, type SweepTexts } from '../../../src/cli/sweep/sweep-options.ts';

const parse = (texts: SweepTexts, hasFixedPort = false) => parseSweepOptions(texts, hasFixedPort);
const mistakesOf = (texts: SweepTexts, hasFixedPort = false): readonly string[] => {
  const parsed = parse(texts, hasFixedPort);
  return 'mistakes' in parsed ? parsed.mistakes : [];
};

test('the defaults', () => {
  expect(parse({}, true)).toEqual({
    options: {
      operations: undefined,
      kinds: undefined,
      occurrences: 1,
      jobs: 1,
      budgetMs: undefined,
      timeoutMs: undefined,
      out: 'sweep',
    },
  });
});

test('globs are separated by commas or given repeatedly, and durations are parsed', () => {
  const texts = { operation: ['async*, submitLocation', 'sync*'], kind: ['status-5*'], budget: '10m', timeout: '1.5s' };
  expect(parse({ ...texts, jobs: '3', occurrences: '4', out: 'found' })).toEqual({
    options: {
      operations: ['async*', 'submitLocation', 'sync*'],
      kinds: ['status-5*'],
      occurrences: 4,
      jobs: 3,
      budgetMs: 600_000,
      timeoutMs: 1500,
      out: 'found',
    },
  });
  expect(parse({ occurrences: 'each', jobs: '1' })).toMatchObject({
    options: { occurrences: Number.MAX_SAFE_INTEGER },
  });
});

test('all mistakes are reported at once', () => {
  expect(
    mistakesOf({
      operation: ['asyncImportJob'],
      kind: ['status-503,conection-*', 'limit'],
      occurrences: 'second',
      jobs: '0',
      budget: '10',
      timeout: '0s',
      out: '',
      updateKnown: true,
    }),
  ).toEqual([
    '--operation: no operation matches "asyncImportJob", did you mean asyncImportJobs?',
    '--kind: no kind of failure matches "conection-*"',
    '--kind: no kind of failure matches "limit"',
    '--occurrences: expected first, each or a number from 1, got "second"',
    '--jobs: expected a number from 1 to 256, got "0"',
    '--budget: expected a duration longer than 0: a number and ms, s, m, h or d, such as 200ms, 2s or 10m; got "10"',
    '--timeout: expected a duration longer than 0: a number and ms, s, m, h or d, such as 200ms, 2s or 10m; got "0s"',
    '--out: expected a folder, got an empty value',
    '--update-known: expected --known FILE too, which it writes',
  ]);
});

test('with a fixed port, only one sandbox can run at a time', () => {
  expect(mistakesOf({ jobs: '2' }, true)).toEqual([
    '--jobs: expected 1, because all sandboxes use the port that is given; got 2',
  ]);
});
