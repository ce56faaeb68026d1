/** Scenarios of ten thousand rules are parsed, or rejected with the first hundred mistakes. */
import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../src/scenarios/parse.ts';

describe('a scenario of ten thousand rules', () => {
  const many = (rule: string, count = 10_000) => `name: many\nrules:\n${`  - ${rule}\n`.repeat(count)}`;

  it('is parsed', () => {
    const parsed = parseScenario(many('then: { refuse: No }'), 'many.yaml');
    expect(parsed.ok && parsed.scenario.rules.length).toBe(10_000);
  });

  it('may repeat a rule by an alias', () => {
    const text = `name: many\nrules:\n  - &one { then: { refuse: No } }\n${'  - *one\n'.repeat(9_998)}`;
    const parsed = parseScenario(text, 'many.yaml');
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
    const parsed = parseScenario(text, 'many.yaml');
    expect(!parsed.ok && parsed.issues.length).toBe(100);
  });

  const matching = (regex: string) => `  - { when: { where: { a: { matches: '${regex}' } } }, then: { refuse: No } }\n`;

  it('may use one expression in all rules, but not very many different ones', () => {
    const same = `name: same\nrules:\n${matching('a{1000}').repeat(3000)}`;
    expect(parseScenario(same, 'same.yaml').ok).toBe(true);
    const different = `name: different\nrules:\n${Array.from({ length: 501 }, (_, index) => matching(`a${index}`)).join('')}`;
    const parsed = parseScenario(different, 'different.yaml');
    expect(!parsed.ok && parsed.issues).toMatchObject([
      { line: 503, message: 'too many regular expressions: a scenario must have at most 500 different ones' },
    ]);
  });

  it('is rejected if aliases multiply its rules to millions', () => {
    const lists = Array.from({ length: 7 }, (_, index) => `&l${index + 1} [${`*l${index}, `.repeat(10)}]`);
    const text = `name: bomb\nrules:\n  - then: { respond: { status: 200, body: [&l0 x, ${lists.join(', ')}] } }\n`;
    const parsed = parseScenario(text, 'bomb.yaml');
    expect(!parsed.ok && parsed.issues.map(({ message }) => message)).toEqual([
      'expected at most 262,144 values; aliases repeat more',
    ]);
  });
});
