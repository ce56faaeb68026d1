/** Limits of regular expressions: how large one may be, how much there may be of them, and how long the text. */
import { describe, expect, test } from 'vitest';
import { estimateExpressionSize } from '../../src/scenarios/expression-size.ts';
import { compileFields, loadExpressions } from '../../src/scenarios/matcher.ts';
import { parseScenario } from '../../src/scenarios/parse.ts';

const heavy = '[ab]*a[ab]{900}[cd]';

test.each([
  ['abc', 3],
  ['a{10}', 10],
  ['(ab){10}', 40],
  ['((a{2}){3}){4}', 56],
  ['[a-z(]{5}', 5],
  ['[]a]{5}', 5],
  ['[^]a]{5}', 5],
  ['[[:alpha:]]{7}', 7],
  ['\\({6}', 6],
  ['x{2,}y{3,9}', 11],
  ['a{0}', 1],
  ['a)b', 3],
  ['(((', 0],
  ['', 0],
  [heavy, 904],
])('the size of %s is about %d', (pattern, size) => {
  expect(estimateExpressionSize(pattern)).toBe(size);
});

/** What is wrong with a scenario that has these expressions. */
function mistakes(patterns: readonly string[]): readonly string[] {
  const rules = patterns.map((matches) => ({ when: { where: { note: { matches } } }, then: { refuse: 'No' } }));
  const parsed = parseScenario(JSON.stringify({ name: 'it', rules }), 'it');
  return parsed.ok ? [] : parsed.issues.map(({ path, message }) => `${path}: ${message}`);
}

describe('the regular expressions of a scenario', () => {
  test('are accepted up to 2,000 instructions', () => {
    expect(mistakes([heavy, '^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}$', '\\d{1,200}'])).toEqual([]);
  });

  test.each([
    ['[ab]{900}[cd]{900}[ef]{900}', '2702'],
    ['(abcdefghij){1000}', 'about 12000'],
  ])('are rejected if too large: %s', (pattern, size) => {
    expect(mistakes([pattern])).toEqual([
      `/rules/0/when/where/note/matches: the regular expression must compile to at most 2000 instructions, got ${size}: reduce its repetitions, such as {1,20} instead of {1,900}`,
    ]);
  });

  test('are rejected if too large in total', () => {
    const many = Array.from({ length: 30 }, (_, index) => `a{900}${index}`);
    expect(mistakes(many.slice(0, 20))).toEqual([]);
    expect(mistakes(many)[0]).toContain(
      'the regular expressions of a scenario must compile to at most 20000 instructions in total',
    );
  });
});

test('a text that is too long for an expression does not match, and the explanation says so', async () => {
  const [field] = compileFields({ note: { matches: heavy } }, await loadExpressions());
  if (!field) throw new Error('no field');
  const fitting = `${'ab'.repeat(453)}ac`;
  expect(field.maxLength).toBe(1103);
  expect(field.test(fitting)).toBe(true);
  expect(field.test(`${fitting}${'d'.repeat(1000)}`)).toBe(false);
});
