/** The benchmark's command line. */
import { expect, test } from 'vitest';
import { isMeant, parseBenchOptions } from './command-line.ts';

function parse(...words: readonly string[]) {
  const said = { out: '', err: '' };
  const options = parseBenchOptions(
    words,
    ['one job', '1,000 jobs'],
    (text) => {
      said.out += text;
    },
    (text) => {
      said.err += text;
    },
  );
  return { options, ...said };
}

test.each([
  [[], { rounds: 5, peers: false }],
  [['--rounds', '9', '--only', 'ONE', '--peers'], { rounds: 9, only: 'ONE', peers: true }],
])('%j is %j', (words, expected) => expect(parse(...words).options).toEqual(expected));

test.each([
  [['--rounds', '0'], 'expected a whole number from 1 to 999, got "0"'],
  [['--rounds', 'many'], 'got "many"'],
  [['--only', 'order'], '"order" in its name; there are one job; 1,000 jobs'],
  [['--peer'], 'Did you mean --peers?'],
  [['7'], 'too many arguments'],
])('%j is told of, and nothing is measured', (words, message) => {
  const { options, out, err } = parse(...words);
  expect({ options, out }).toEqual({ options: 2, out: '' });
  expect(err).toContain(message);
});

test('the help names all that is measured', () => {
  const { options, out } = parse('--help');
  expect(options).toBe(0);
  expect(out).toContain('  1,000 jobs\n');
});

test('a part of a name finds it, in any case', () => {
  expect([undefined, 'JOB', 'two'].map((only) => isMeant('one job', only))).toEqual([true, true, false]);
});
