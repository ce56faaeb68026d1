import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { formatIssue } from '../../src/diagnostics/yaml-file.ts';
import { operationIds } from '../../src/operations/index.ts';
import { parseScenario } from '../../src/scenarios/parse.ts';
import { everything } from './everything.ts';

/** Returns all issues in the format of check, with blank lines between them. */
function report(text: string, file: string): string {
  const parsed = parseScenario(text, file, operationIds);
  if (parsed.ok) return 'no issue\n';
  return `${parsed.issues.map((issue) => formatIssue(issue, text)).join('\n\n')}\n`;
}

describe('a scenario', () => {
  it('has the value of the file', () => {
    expect(parseScenario(everything, 'everything.yaml', operationIds)).toEqual({
      ok: true,
      scenario: parse(everything),
    });
  });

  it('may be JSON', () => {
    const text = JSON.stringify(parse(everything));
    expect(parseScenario(text, 'everything.json', operationIds)).toMatchObject({ ok: true });
  });

  it('may have a text as seed', () => {
    const text = 'name: a\nseed: monday\nrules: [{ then: { refuse: No } }]\n';
    expect(parseScenario(text, 'a.yaml', operationIds)).toMatchObject({ ok: true, scenario: { seed: 'monday' } });
  });

  it('is not polluted by the names of an object', () => {
    const text = 'name: a\nrules: [{ when: { where: { constructor: x, toString: y } }, then: { refuse: No } }]\n';
    const parsed = parseScenario(text, 'a.yaml', operationIds);
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
    const parsed = parseScenario(`name: a\nrules:\n${rules}\n`, 'a.yaml', operationIds);
    expect(!parsed.ok && parsed.issues.map(({ message }) => message)).toEqual(messages);
  });
});

describe('a scenario of ten thousand rules', () => {
  const many = (rule: string, count = 10_000) => `name: many\nrules:\n${`  - ${rule}\n`.repeat(count)}`;

  it('is parsed', () => {
    const parsed = parseScenario(many('then: { refuse: No }'), 'many.yaml', operationIds);
    expect(parsed.ok && parsed.scenario.rules.length).toBe(10_000);
  });

  it('may repeat a rule by an alias', () => {
    const text = `name: many\nrules:\n  - &one { then: { refuse: No } }\n${'  - *one\n'.repeat(9_998)}`;
    const parsed = parseScenario(text, 'many.yaml', operationIds);
    expect(parsed.ok && parsed.scenario.rules.length).toBe(9_999);
  });

  it.each([
    ['unknown keys', many('then: { refuze: No }')],
    ['no effect', many('then: {}')],
    ['unknown operations', many('{ when: { operation: asyncImportJob }, then: { refuse: No } }', 3500)],
    ['mappings of the wrong kind', many('{ when: { item: { form: 1 } }, then: { refuse: No } }', 4000)],
    ['syntax', many('then: @')],
    ['names of rules', `${many('then: { refuse: No }', 5000)}expect:\n${'  - rule: rule x\n'.repeat(5000)}`],
  ])('with a mistake in each rule reports the first hundred: %s', (_, text) => {
    const parsed = parseScenario(text, 'many.yaml', operationIds);
    expect(!parsed.ok && parsed.issues.length).toBe(100);
  });

  const matching = (regex: string) => `  - { when: { where: { a: { matches: '${regex}' } } }, then: { refuse: No } }\n`;

  it('may use one expression in all rules, but not very many different ones', () => {
    const same = `name: same\nrules:\n${matching('a{1000}').repeat(3000)}`;
    expect(parseScenario(same, 'same.yaml', operationIds).ok).toBe(true);
    const different = `name: different\nrules:\n${Array.from({ length: 501 }, (_, index) => matching(`a${index}`)).join('')}`;
    const parsed = parseScenario(different, 'different.yaml', operationIds);
    expect(!parsed.ok && parsed.issues).toMatchObject([
      { line: 503, message: 'too many regular expressions: a scenario must have at most 500 different ones' },
    ]);
  });

  it('is rejected if aliases multiply its rules to millions', () => {
    const lists = Array.from({ length: 7 }, (_, index) => `&l${index + 1} [${`*l${index}, `.repeat(10)}]`);
    const text = `name: bomb\nrules:\n  - then: { respond: { status: 200, body: [&l0 x, ${lists.join(', ')}] } }\n`;
    const parsed = parseScenario(text, 'bomb.yaml', operationIds);
    expect(!parsed.ok && parsed.issues.map(({ message }) => message)).toEqual([
      'expected at most 262,144 values; aliases repeat more',
    ]);
  });
});

/** To add a case, add a file, run `npx vitest run test/scenarios/parse.test.ts -u`, and read the new `.txt`. */
describe('the issues of a broken file', () => {
  const folder = new URL('./broken/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

  it.each(files)('%s', async (file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    await expect(report(text, file)).toMatchFileSnapshot(`./broken/${file.replace('.yaml', '.txt')}`);
  });
});
