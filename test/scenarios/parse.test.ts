import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { formatIssue } from '../../src/diagnostics/yaml-file.ts';
import { runAll } from '../../src/lib/slices.ts';
import { checkText, parseScenario } from '../../src/scenarios/parse.ts';
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
