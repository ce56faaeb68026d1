/** Everything that the documentation does not show can be changed: each line of the table in docs/reference/profile.md. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { testTranscript } from '../transcripts/play.ts';

const page = readFileSync('docs/reference/profile.md', 'utf8');
const [, assumptions = ''] = page.split('\n## Assumptions\n');
const lines = [...assumptions.matchAll(/^\| (.*?) \| .*? \| (.*?) \|$/gm)]
  .map(([, line = '', change = '']) => ({ line, change }))
  .filter(({ line }) => line !== 'not shown' && line !== '---');

/** What no profile changes, with the reason on the page. */
const unchangeable = lines.filter(({ change }) => change.startsWith('not changeable')).map(({ line }) => line);

/** Each line of the table, with the responses by default and under a profile that changes it. */
const file = path.join(import.meta.dirname, 'not-shown.txt');
const responses = new Map<string, string[]>();
for (const part of readFileSync(file, 'utf8').split(/^== /m).slice(1)) {
  const [line = '', ...steps] = part.split('\n');
  const seen = steps.filter((step) => step.startsWith('  => ')).join('\n');
  responses.set(line, [...(responses.get(line) ?? []), seen]);
}

test('every line of the table has a test, and every test a line', () => {
  expect([...responses.keys(), ...unchangeable].sort()).toEqual(lines.map(({ line }) => line).sort());
});

testTranscript(file);

test.each([...responses])('%s', (_line, [byDefault, changed, ...others]) => {
  expect(others).toEqual([]);
  expect(changed).not.toBe(byDefault);
});
