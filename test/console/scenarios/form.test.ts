/** The form of a scenario reads a text, and writes changes into it without touching the rest. */
import { describe, expect, test } from 'vitest';
import schema from '../../../spec/scenario.schema.json' with { type: 'json' };
import {
  addRule,
  entryChanges,
  readScenario,
  removeRule,
  requestChanges,
  setValues,
  toDuring,
  toYaml,
} from '../../../src/console/screens/scenarios/form/change-text.ts';
import { readForm, type ScenarioForm } from '../../../src/console/screens/scenarios/form/scenario-form.ts';
import { describeRule } from '../../../src/console/screens/scenarios/form/sentence.ts';
import { newText, starters } from '../../../src/console/screens/scenarios/starters.ts';
import { operationIds } from '../../../src/operations/index.ts';
import { parseScenario } from '../../../src/scenarios/parse.ts';

const text = `# top
name: shown # the name
rules:
  # first
  - name: third job
    when: { operation: [ async*, syncCreateJob ], item: 3, project: ci-*, during: { after: 1s } } # here
    then: { fail: Address could not be geocoded, after: 2s }
    scope: server
  - then: { respond: { status: 503, headers: { retry-after: "30" } } }
    when:
      request: { from: 2, to: 4 }
      where: { status: { exists: false }, weight: { gt: 2, lt: 9 }, headers.x-shift: night }
    times: 2
    chance: 0.2
expect:
  - callbacks: { type: jobs.import.failed, count: 1 }
`;

function formOf(source: string): ScenarioForm {
  const form = readForm(source);
  if ('problem' in form) throw new Error(form.problem);
  return form;
}

describe('reading', () => {
  test('shows what it can, and names the rest', () => {
    const { rules, others, name } = formOf(text);
    expect([name, others]).toEqual(['shown', ['expect']]);
    expect(rules[0]).toMatchObject({
      operation: 'async*, syncCreateJob',
      entries: { kind: 'numbers', numbers: [3] },
      requests: { kind: 'all' },
      timeSpan: { after: '1s' },
      others: ['scope', 'when.project'],
      line: 5,
    });
    expect(rules[1]).toMatchObject({
      requests: { kind: 'range', from: 2, to: 4 },
      chance: 0.2,
      fields: [
        { path: 'status', test: 'exists', value: false },
        { path: 'headers.x-shift', test: 'is', value: 'night' },
      ],
      others: ['times', 'when.where.weight'],
    });
  });

  test.each([
    ['name: [', 'not valid YAML'],
    ['- a', 'not a scenario'],
    ['name: a\nrules: 1', 'not a list'],
    ['name: a\nrules: [&a { then: { refuse: x } }, *a]', 'anchors'],
  ])('says why there is no form: %s', (source, why) => {
    expect(readForm(source)).toEqual({ problem: expect.stringContaining(why) });
  });
});

describe('writing', () => {
  test('changes only what was chosen', () => {
    const changed = setValues(
      text,
      ...requestChanges(['rules', 0], { kind: 'first', count: 1 }),
      ...entryChanges(['rules', 0], { kind: 'ids', ids: ['A*', 'B*'] }),
      [['rules', 0, 'then', 'after'], '10s'],
      [['rules', 1, 'when', 'request'], undefined],
      [['rules', 0, 'when', 'during'], toDuring({ after: undefined, afterRequests: 5, for: '30s' })],
      [['description'], 'New: text'],
    );
    expect(changed).toBe(
      text
        .replace('item: 3', 'item: { id: [ A*, B* ] }')
        .replace('during: { after: 1s }', 'during: { afterRequests: 5, for: 30s }')
        .replace('after: 2s', 'after: 10s')
        .replace('    then: { fail', '    times: 1\n    then: { fail')
        .replace('      request: { from: 2, to: 4 }\n', '')
        .replace('rules:', 'description: "New: text"\nrules:'),
    );
  });

  test('removes a condition with its parent, and adds and removes rules', () => {
    const one = 'name: a\nrules:\n  - when: { item: 1 }\n    then: { refuse: x }\n';
    const without = setValues(one, ...entryChanges(['rules', 0], { kind: 'all' }));
    expect(without).toBe('name: a\nrules:\n  - then: { refuse: x }\n');
    expect(setValues(without, ...entryChanges(['rules', 0], { kind: 'every', every: 5 }))).toBe(
      'name: a\nrules:\n  - when: { item: { every: 5 } }\n    then: { refuse: x }\n',
    );
    const two = addRule(one);
    expect(two).toBe(
      `${one}  - when: { operation: asyncImportJobs, item: 1 }\n    then: { respond: { status: 503 } }\n`,
    );
    expect(removeRule(two, 1)).toBe(one);
  });

  test('does not change a text that is not YAML', () => {
    expect(setValues('name: [', [['name'], 'b'])).toBe('name: [');
  });

  test('writes a scenario that was given as JSON', () => {
    const scenario = {
      name: 'a',
      rules: [{ when: { item: { id: 'X*' } }, then: { respond: { status: 503 } }, times: 1 }],
    };
    const yaml = toYaml(scenario);
    expect(yaml).toBe(
      'name: a\nrules:\n  - when: { item: { id: X* } }\n    then: { respond: { status: 503 } }\n    times: 1\n',
    );
    expect(readScenario(yaml)).toEqual(scenario);
  });
});

describe('a new scenario', () => {
  test.each(['', ...starters.map(({ name }) => name)])('is valid, and is described by its rule: %s', (from) => {
    const source = newText([], from);
    const parsed = parseScenario(source, 'new', operationIds);
    expect(parsed.ok).toBe(true);
    const { name, description, rules } = formOf(source);
    expect(rules.map(describeRule)).toEqual([description]);
    expect(name).toBe(from || 'my-scenario');
    expect(formOf(newText([{ name }], from)).name).toBe(`${name}-2`);
  });

  test('of the third job of the next import fails after two seconds', () => {
    const next = setValues(
      newText(),
      ...entryChanges(['rules', 0], { kind: 'numbers', numbers: [3] }),
      ...requestChanges(['rules', 0], { kind: 'first', count: 1 }),
    );
    expect(describeRule(formOf(next).rules[0] as ScenarioForm['rules'][number])).toBe(
      'The 3rd entry of the next asyncImportJobs request: fails after 2s (Address could not be geocoded).',
    );
  });
});

test('every effect of the schema has a switch', async () => {
  const { effectKeys } = await import('../../../src/console/screens/scenarios/form/effect-kinds.ts');
  const { then } = schema.properties.rules.items.properties;
  expect(effectKeys.toSorted()).toEqual(Object.keys(then.properties).toSorted());
});
