import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { formatIssue } from '../../src/diagnostics/yaml-file.ts';
import { runAll } from '../../src/lib/slices.ts';
import { checkText } from '../../src/scenarios/check.ts';
import { parseScenario } from '../../src/scenarios/parse.ts';
import { everything } from './everything.ts';
import { readTexts, toCaseText } from './text-case.ts';

/** Returns all mistakes, or all warnings, in the format of check, with blank lines between them. */
function report(text: string, file: string): string {
  const { errors, warnings } = runAll(checkText(text, file));
  const shown = errors.map((issue) => formatIssue(issue, text));
  for (const issue of warnings) shown.push(formatIssue(issue, text, 'warning'));
  return shown.length > 0 ? `${shown.join('\n\n')}\n` : 'no issue\n';
}

describe('a scenario', () => {
  it('has the value of the file', () => {
    expect(parseScenario(everything, 'everything.yaml')).toEqual({
      ok: true,
      scenario: parse(everything),
    });
  });

  it('may be JSON', () => {
    const text = JSON.stringify(parse(everything));
    expect(parseScenario(text, 'everything.json')).toMatchObject({ ok: true });
  });

  it('may have a text as seed', () => {
    const text = 'name: a\nseed: monday\nrules: [{ then: { refuse: No } }]\n';
    expect(parseScenario(text, 'a.yaml')).toMatchObject({ ok: true, scenario: { seed: 'monday' } });
  });

  it('is not polluted by the names of an object', () => {
    const text = 'name: a\nrules: [{ when: { where: { constructor: x, toString: y } }, then: { refuse: No } }]\n';
    const parsed = parseScenario(text, 'a.yaml');
    expect(parsed).toMatchObject({ ok: true });
    expect(parsed.ok && Object.keys(parsed.scenario.rules[0]?.when?.where ?? {})).toEqual(['constructor', 'toString']);
  });
});

describe('an issue guesses only what is certain', () => {
  const then = 'then: { refuse: No }';
  it.each([
    ['a fraction as text', `- { chance: '1', ${then} }`, [expect.not.stringContaining('mean')]],
    ['a fraction in words', `- { chance: about 30%, ${then} }`, [expect.not.stringContaining('mean')]],
    [
      'a very long expression',
      `- { when: { where: { a: { matches: '${'('.repeat(1001)}' } } }, ${then} }`,
      [`expected a regular expression of at most 1000 characters, got "${'('.repeat(60)}…"`],
    ],
    [
      'a name under another key',
      `- { nam: third, ${then} }\nexpect: [{ rule: third }]`,
      ['unknown key "nam", did you mean name?'],
    ],
  ])('%s', (_, rules, messages) => {
    const parsed = parseScenario(`name: a\nrules:\n${rules}\n`, 'a.yaml');
    expect(!parsed.ok && parsed.issues.map(({ message }) => message)).toEqual(messages);
  });
});

/**
 * To add a case, write `== NAME`, its text and a line `=>` into a file of the folder, run
 * `npx vitest run test/scenarios/parse.test.ts -u`, and read the report that follows.
 */
describe.each(['broken', 'warned'])('the reports of %s texts', (folder) => {
  const cases = readTexts(folder);

  it.each([...new Set(cases.map(({ file }) => file))])('%s', async (file) => {
    const own = cases.filter((one) => one.file === file);
    const texts = own.map((one) => toCaseText(one, report(one.text, `${one.name}.yaml`)));
    await expect(texts.join('\n')).toMatchFileSnapshot(`./${folder}/${file}`);
  });
});
