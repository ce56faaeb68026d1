import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { formatIssue } from '../../src/diagnostics/yaml-file.ts';
import { operationIds } from '../../src/operations/index.ts';
import { parseScenario } from '../../src/scenarios/parse.ts';
import { everything } from './everything.ts';

/** All issues as check shows them, a blank line between two. */
function report(text: string, file: string): string {
  const parsed = parseScenario(text, file, operationIds);
  if (parsed.ok) return 'no issue\n';
  return `${parsed.issues.map((issue) => formatIssue(issue, text)).join('\n\n')}\n`;
}

describe('a scenario', () => {
  it('is what the file says', () => {
    expect(parseScenario(everything, 'everything.yaml', operationIds)).toEqual({
      ok: true,
      scenario: parse(everything),
    });
  });

  it('may be JSON', () => {
    const text = JSON.stringify(parse(everything));
    expect(parseScenario(text, 'everything.json', operationIds)).toMatchObject({ ok: true });
  });

  it('takes a text as seed', () => {
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

describe('no more is said than is known to be wrong', () => {
  const then = 'then: { refuse: No }';
  it.each([
    ['a fraction that may be meant', `- { chance: '1', ${then} }`, [expect.not.stringContaining('mean')]],
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

  it('is read', () => {
    const parsed = parseScenario(many('then: { refuse: No }'), 'many.yaml', operationIds);
    expect(parsed.ok && parsed.scenario.rules.length).toBe(10_000);
  });

  it('may say the same by an alias', () => {
    const text = `name: many\nrules:\n  - &one { then: { refuse: No } }\n${'  - *one\n'.repeat(9_998)}`;
    const parsed = parseScenario(text, 'many.yaml', operationIds);
    expect(parsed.ok && parsed.scenario.rules.length).toBe(9_999);
  });

  it.each([
    ['unknown keys', many('then: { refuze: No }')],
    ['no effect', many('then: {}')],
    ['unknown operations', many('{ when: { operation: asyncImportJob }, then: { refuse: No } }', 3500)],
    ['kinds of mapping that do not fit', many('{ when: { item: { form: 1 } }, then: { refuse: No } }', 4000)],
    ['syntax', many('then: @')],
    ['names of rules', `${many('then: { refuse: No }', 5000)}expect:\n${'  - rule: rule x\n'.repeat(5000)}`],
  ])('with a mistake in each is told a hundred of them: %s', (_, text) => {
    const parsed = parseScenario(text, 'many.yaml', operationIds);
    expect(!parsed.ok && parsed.issues.length).toBe(100);
  });

  const matching = (regex: string) => `  - { when: { where: { a: { matches: '${regex}' } } }, then: { refuse: No } }\n`;

  it('may use one expression in all of them, but not very many', () => {
    const same = `name: same\nrules:\n${matching('a{1000}').repeat(3000)}`;
    expect(parseScenario(same, 'same.yaml', operationIds).ok).toBe(true);
    const different = `name: different\nrules:\n${Array.from({ length: 501 }, (_, index) => matching(`a${index}`)).join('')}`;
    const parsed = parseScenario(different, 'different.yaml', operationIds);
    expect(!parsed.ok && parsed.issues).toMatchObject([
      { line: 503, message: 'more than 500 different regular expressions in one scenario' },
    ]);
  });

  it('is refused where aliases make millions of it', () => {
    const lists = Array.from({ length: 7 }, (_, index) => `&l${index + 1} [${`*l${index}, `.repeat(10)}]`);
    const text = `name: bomb\nrules:\n  - then: { respond: { status: 200, body: [&l0 x, ${lists.join(', ')}] } }\n`;
    const parsed = parseScenario(text, 'bomb.yaml', operationIds);
    expect(!parsed.ok && parsed.issues.map(({ message }) => message)).toEqual([
      'expected at most 262,144 values; aliases repeat more',
    ]);
  });
});

/** Add a file and run `npx vitest run test/scenarios/parse.test.ts -u` to have what it says written beside it; then read that. */
describe('broken', () => {
  const folder = new URL('./broken/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

  it.each(files)('%s', async (file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    await expect(report(text, file)).toMatchFileSnapshot(`./broken/${file.replace('.yaml', '.txt')}`);
  });
});
