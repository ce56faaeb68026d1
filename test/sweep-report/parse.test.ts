/** The JSON of a sweep is checked: every mistake has its path, what was expected, and what was found. */
import { expect, test } from 'vitest';
import { parseSweepText } from '../../src/sweep-report/parse.ts';
import { sample } from './sample.ts';

test('a report is read from its text, and keys of a later version are ignored', () => {
  expect(parseSweepText(JSON.stringify({ ...sample, later: 1 }))).toEqual({ report: sample });
});

test('all mistakes are reported', () => {
  const [first, ...others] = sample.cases;
  const wrong = {
    ...sample,
    baseline: { ...sample.baseline, requests: -1 },
    cases: [{ ...first, verdict: 'recoverd', exitCode: '1' }, { ...first, detail: undefined }, ...others],
    notTried: undefined,
  };
  expect(parseSweepText(JSON.stringify(wrong))).toEqual({
    mistakes: [
      'baseline.requests: expected at least 0, got -1',
      expect.stringMatching(
        /^cases\[0\]\.verdict: expected one of hung, .*, got "recoverd", did you mean recovered\?$/,
      ),
      'cases[0].exitCode: expected a number, got "1" (remove the quotes)',
      'cases[1]: missing key detail: expected text',
      'the report: missing key notTried: expected a number',
    ],
  });
});

test('the number of mistakes is limited', () => {
  const { mistakes } = parseSweepText(JSON.stringify({ ...sample, cases: Array(100).fill(1) })) as {
    mistakes: readonly string[];
  };
  expect(mistakes).toHaveLength(21);
  expect(mistakes.at(-1)).toBe('and 80 more');
});

test.each([
  ['no JSON', 'hello', 'expected the JSON that `field-sandbox sweep --json FILE` writes; this is not JSON'],
  [
    'other JSON',
    '[]',
    /^the report: expected a mapping with baseline, cases, summary and notTried, got an empty list$/,
  ],
  ['a recording', '{"changes":[]}', /^the report: missing key baseline/],
])('%s is no report', (_, text, mistake) => {
  const { mistakes } = parseSweepText(text) as { mistakes: readonly string[] };
  expect(mistakes[0]).toMatch(mistake);
});
