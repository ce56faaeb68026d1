/** The line that says best why a command failed, among those that test runners and programs print. */
import { expect, test } from 'vitest';
import { findErrorLine } from '../../../src/cli/sweep/judge/error-line.ts';

test.each([
  [
    'curl',
    'trying\ncurl: (22) The requested URL returned error: 503\nbye',
    'curl: (22) The requested URL returned error: 503',
  ],
  [
    'Vitest',
    ' FAIL  import.test.js > imports\nSandboxError: clock: expected frozen, got real\n ❯ x.js:3\nTypeError: cannot read close',
    'SandboxError: clock: expected frozen, got real',
  ],
  [
    'Node',
    'file:///a.mjs:3\nthrow new Error(1)\n      ^\n\nError: could not send\n    at a.mjs:3',
    'Error: could not send',
  ],
  [
    'TAP',
    "not ok 1 - imports\n  ---\n  error: |-\n    Expected 1 job\n    got 0\n  code: 'X'",
    'error: Expected 1 job',
  ],
  ['pytest', 'F\nE       AssertionError: assert 1 == 2\nFAILED test_a.py', 'E       AssertionError: assert 1 == 2'],
  ['Java', '[INFO] x\njava.lang.IllegalStateException: no answer', 'java.lang.IllegalStateException: no answer'],
  ['a log', 'imported 3\n{"level":"error","msg":"lost"}', '{"level":"error","msg":"lost"}'],
  ['colours', '\u001b[31mnot ok 1 - imports\u001b[39m', 'not ok 1 - imports'],
  ['long names', `Error: no ${'a'.repeat(140)} or ${'b'.repeat(20)}`, `Error: no ${'a'.repeat(140)} or …`],
  ['a script', 'begin\nexpected 1 job, got 0\nbye', 'expected 1 job, got 0'],
  ['words of its own', 'begin\noops\n', 'oops'],
])('%s', (_, output, line) => {
  expect(findErrorLine(output, [], true)).toBe(line);
});

test('what runs without a failure print is no error, whatever its numbers, and a passing command may have none', () => {
  const baseline = ['0 failed in 12 ms\ndone'];
  expect(findErrorLine('0 failed in 14 ms\ndone', baseline, true)).toBeUndefined();
  expect(findErrorLine('0 failed in 14 ms\nstored 3', baseline, false)).toBeUndefined();
  expect(findErrorLine('', [], true)).toBeUndefined();
});

test.each([
  ['one long word', 'a.'.repeat(200_000)],
  ['empty lines', '\n'.repeat(200_000)],
  ['open brackets', 'xError['.repeat(50_000)],
])('an output of %s is searched in linear time', (_, output) => {
  const startedMs = performance.now();
  expect(findErrorLine(output, ['x'], false)).toBeUndefined();
  // Quadratic time is many seconds.
  expect(performance.now() - startedMs).toBeLessThan(2000);
});
