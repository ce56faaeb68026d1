/** What a request keeps of the rules: results of conditions on secrets, the rules that fired, and the furthest others. */
import { describe, expect, test } from 'vitest';
import { compileScenario, createRuleSet } from '../../src/scenarios/compile.ts';
import { decide } from '../../src/scenarios/decide.ts';
import { toRuleNotes } from '../../src/scenarios/explain.ts';
import { match, type Subject } from '../../src/scenarios/matching.ts';
import type { Rule, When } from '../../src/scenarios/types.ts';

/** Decides a request with two jobs that has a secret in each job and in its headers. */
async function decideOn(rules: readonly Rule[], more: Partial<Subject> = {}) {
  const scenario = await compileScenario({ name: 'noting', rules });
  const subject = {
    operation: 'asyncImportJobs',
    project: 'p',
    subproject: undefined,
    headers: { apikey: 'right', 'x-other': 'right', 'x-plain': 'left' },
    body: { name: 'plain' },
    entries: ['a', 'b'].map((password, index) => ({ item: index + 1, id: `J-${password}`, value: { password } })),
    refused: [],
    isSecret: (text: string) => text === 'right',
    ...more,
  };
  const set = createRuleSet([{ scope: 'project', scenarios: [scenario] }]);
  const { results, outline, secretTests } = match(set, subject);
  const server = { counts: new Map(), wallMs: 500, clockRate: 0 };
  const state = { counts: new Map(), activations: new Map(), now: 500, change: 1, seed: 's', server };
  const { plan, traces } = decide({ results }, subject.entries.length, state);
  const notes = toRuleNotes(set, 3, { traces, outline });
  return { plan, secretTests, notes };
}

const toRule = (when: When): Rule => ({ when, then: { refuse: 'No' } });

describe('the result of a condition on a secret', () => {
  const key = 'project/noting#1';
  const passwords = { item: { where: { password: 'b' } } };

  test.each<readonly [string, When, Readonly<Record<string, boolean>>]>([
    ['a header of that name', { where: { 'headers.apikey': 'right' } }, { [`${key} headers.apikey`]: true }],
    ['a header with a key in it', { where: { 'headers.x-other': 'wrong' } }, { [`${key} headers.x-other`]: false }],
    ['another header', { where: { 'headers.x-plain': 'left' } }, {}],
    ['a missing header', { where: { 'headers.x-none': 'left' } }, {}],
    ['a field', { where: { name: 'plain' } }, {}],
    ['a field of entries', passwords, { [`${key} password 1`]: false, [`${key} password 2`]: true }],
    ['an id', { item: { id: 'J-a' } }, {}],
  ])('is recorded only for secrets: %s', async (_, when, noted) => {
    expect((await decideOn([toRule(when)])).secretTests).toEqual(noted);
  });

  const hidden = { headers: { apikey: '***', 'x-other': '***', 'x-plain': 'left' }, isSecret: () => false };
  test.each<readonly [string, When, Readonly<Record<string, boolean>>, readonly number[]]>([
    ['a header of that name', { where: { 'headers.apikey': 'right' } }, { [`${key} headers.apikey`]: true }, [1, 2]],
    ['a header with a key', { where: { 'headers.x-other': 'right' } }, { [`${key} headers.x-other`]: true }, [1, 2]],
    ['a header that did not match', { where: { 'headers.apikey': '*' } }, { [`${key} headers.apikey`]: false }, []],
    ['a header that is not secret', { where: { 'headers.x-plain': 'left' } }, {}, [1, 2]],
    ['entries', passwords, { [`${key} password 1`]: true, [`${key} password 2`]: false }, [1]],
  ])('is read from the record at a replay: %s', async (_, when, secretTests, refused) => {
    const { plan } = await decideOn([toRule(when)], { ...hidden, secretTests });
    expect([...(plan.refused ?? new Map()).keys()]).toEqual(refused);
  });
});

test('a rule that fired is kept with the number of the request, and with its entries if it selects some', async () => {
  const rules = [
    { ...toRule({ item: { id: 'J-b' } }), name: 'one' },
    { ...toRule({}), name: 'all' },
  ];
  const more = { name: 'callbacks', when: { item: { every: 1 } }, then: { callback: { copies: 2 } } } as const;
  const { notes } = await decideOn([...rules, toRule({ item: 9 }), more]);
  const of = { scenario: 'noting', operation: 'asyncImportJobs', nth: 3 };
  expect(notes.fired).toEqual([
    { ...of, rule: 'one', effects: ['refuse'], items: [2] },
    { ...of, rule: 'all', effects: ['refuse'] },
    { ...of, rule: 'callbacks', effects: ['callback'], items: [1, 2] },
  ]);
});

test('of many rules, a request keeps those that fired and explains the hundred that came furthest', async () => {
  const rules = Array.from({ length: 10_000 }, (_, index) =>
    toRule(index % 100 === 99 ? { request: { from: index === 9999 ? 1 : 2 } } : { where: { city: `${index}` } }),
  );
  const { notes } = await decideOn(rules);
  expect(notes.fired.map(({ rule }) => rule)).toEqual(['rule 10000']);
  const explained = notes.explain();
  expect(explained.map(({ came }) => came)).toEqual([...Array(99).fill('request'), 'fired']);
  expect(explained.map(({ rule }) => rule).slice(0, 2)).toEqual(['rule 100', 'rule 200']);
  expect(notes.ruleCount).toBe(10_000);
  expect(notes.notesSize).toBeLessThan(20_000);
});

test('entries of rules that fired are kept up to a total of 10,000', async () => {
  const entries = Array.from({ length: 4000 }, (_, index) => ({ item: index + 1, id: `J-${index}`, value: {} }));
  const rules = Array.from({ length: 3 }, (_, index) => ({
    ...{ name: `rule ${index}`, when: { item: { every: 1 } } },
    then: [{ refuse: 'No' }, { fail: 'No' }, { callback: { copies: 2 } }][index] as Rule['then'],
  }));
  const { notes } = await decideOn(rules, { entries });
  expect(notes.fired.map(({ items }) => items?.length)).toEqual([4000, 4000, undefined]);
});

const many = Array.from({ length: 1000 }, (_, index) => `other-${index}`);
test.each<readonly [string, When]>([
  ['ids', { item: { id: many } }],
  ['values', { item: { where: { name: { in: many } } } }],
  ['projects', { project: many }],
  ['subprojects', { subproject: many }],
])('an explanation does not repeat all %s that a rule lists, and ends with what came', async (_, when) => {
  const [explained] = (await decideOn([toRule(when)])).notes.explain();
  expect(explained?.why).toMatch(/^expected .{250,350}…; (?:got|the request) .{1,60}$/);
});
