import { describe, expect, test } from 'vitest';
import { compileScenario, createRuleSet } from '../../src/scenarios/compile.ts';
import type { Then } from '../../src/scenarios/effects/index.ts';
import { explainNotes } from '../../src/scenarios/explain.ts';
import type { Subject } from '../../src/scenarios/matching.ts';
import type { When } from '../../src/scenarios/types.ts';
import { decideAtOnce } from './decide-at-once.ts';

/** Returns the note of a rule that a request with one large entry does not match. */
async function note(when: When): Promise<unknown> {
  const scenario = await compileScenario({ name: 'noting', rules: [{ when, then: { refuse: 'No' } }] });
  const rules = createRuleSet([{ scope: 'project', scenarios: [scenario] }]);
  const value = { id: 'x'.repeat(5000), attributes: { text: 'y'.repeat(5000) } };
  const subject = {
    operation: 'asyncImportJobs',
    project: 'p',
    subproject: undefined,
    headers: {},
    body: { jobs: [value] },
    entries: [{ item: 1, id: value.id, value }],
    refused: [],
  };
  const state = { counts: new Map(), activations: new Map(), now: 0, change: 1, seed: 's' };
  const { notes } = decideAtOnce(rules, subject, state);
  return notes.map(({ note: { code, saw, had } }) => ({ code, saw, had }))[0];
}

test.each<readonly [When, string, unknown]>([
  [{ where: { jobs: 'a' } }, 'saw', 'a list'],
  [{ where: { 'jobs.0': 'a' } }, 'saw', 'an object'],
  [{ where: { 'jobs.0.id': 'a' } }, 'saw', `"${'x'.repeat(59)}…`],
  [{ where: { 'jobs.1': 'a' } }, 'saw', undefined],
  [
    { where: { 'jobs.0.attributes.text': { matches: '[ab]*a[ab]{900}[cd]' } } },
    'saw',
    `"${'y'.repeat(59)}…, which exceeds the maximum of 1103 characters`,
  ],
  [{ item: { id: 'x*b' } }, 'had', [`"${'x'.repeat(59)}…`]],
  [{ item: { where: { attributes: 'a*' } } }, 'had', ['an object']],
  [{ item: { where: { 'attributes.text': 'a*' } } }, 'had', [`"${'y'.repeat(59)}…`]],
])('the journal stores a short text about %j, and no part of the body', async (when, key, words) => {
  expect(await note(when)).toHaveProperty(key, words);
});

/** Decides a request with two jobs that has a secret in each job and in its headers. */
async function decideOn(when: When, more: Partial<Subject> = {}) {
  const scenario = await compileScenario({ name: 'noting', rules: [{ when, then: { refuse: 'No' } }] });
  const rules = createRuleSet([{ scope: 'project', scenarios: [scenario] }]);
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
  const activations = new Map();
  const state = { counts: new Map(), activations, now: 500, change: 1, seed: 's' };
  const { plan, notes, outline, secretTests } = decideAtOnce(rules, subject, state);
  return {
    refused: [...(plan.refused ?? new Map()).keys()],
    code: notes[0]?.note.code,
    outline,
    secretTests,
    activations,
  };
}

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
    expect((await decideOn(when)).secretTests).toEqual(noted);
  });

  const hidden = { headers: { apikey: '***', 'x-other': '***', 'x-plain': 'left' }, isSecret: () => false };
  test.each<readonly [string, When, Readonly<Record<string, boolean>>, readonly number[]]>([
    ['a header of that name', { where: { 'headers.apikey': 'right' } }, { [`${key} headers.apikey`]: true }, [1, 2]],
    ['a header with a key', { where: { 'headers.x-other': 'right' } }, { [`${key} headers.x-other`]: true }, [1, 2]],
    ['a header that did not match', { where: { 'headers.apikey': '*' } }, { [`${key} headers.apikey`]: false }, []],
    ['a header that is not secret', { where: { 'headers.x-plain': 'left' } }, {}, [1, 2]],
    ['entries', passwords, { [`${key} password 1`]: true, [`${key} password 2`]: false }, [1]],
  ])('is read from the record at a replay: %s', async (_, when, secretTests, refused) => {
    expect((await decideOn(when, { ...hidden, secretTests })).refused).toEqual(refused);
  });
});

test('the outline counts the entries that the contract rejected, but no routes', async () => {
  const refused = [{ order: 3 }, { order: 3.5 }];
  expect((await decideOn({ item: { id: 'X' } }, { refused })).outline).toEqual({
    project: 'p',
    subproject: undefined,
    count: 3,
    ids: ['J-a', 'J-b'],
    had: {},
  });
});

test('a layer without an activation is activated by the first request that matches one of its rules', async () => {
  expect([...(await decideOn({ item: 3 })).activations]).toEqual([]);
  const { activations, code } = await decideOn({ during: { after: '1s' } });
  expect([...activations]).toEqual([['project', { atMs: 500, change: 1 }]]);
  expect(code).toBe('during');
});

test.each([
  ['server', 'server'],
  ['magic-ids', 'magic-ids'],
  ['project', 'project'],
  ['header', 'header/it'],
] as const)('rules of the scope %s share the layer %s and are counted separately', async (scope, layer) => {
  const scenario = await compileScenario({ name: 'it', rules: [{ then: { refuse: 'No' } }] });
  const { rules } = createRuleSet([{ scope, scenarios: [scenario, scenario] }]);
  expect(rules.map((rule) => [rule.key, rule.layer])).toEqual([
    [`${scope}/it#1`, layer],
    [`${scope}/it@2#1`, layer],
  ]);
});

test.each<readonly [Then, string]>([
  [{ limit: { requests: 1, per: '1s' } }, 'matched, but the request is within the limit'],
  [{ refuse: 'No' }, 'matched, but the request has no entries'],
])('a request without entries explains why %j did nothing', async (then, why) => {
  const scenario = await compileScenario({ name: 'noting', rules: [{ then }] });
  const rules = createRuleSet([{ scope: 'project', scenarios: [scenario] }]);
  const operation = 'asyncImportJobs';
  const subject = { operation, project: 'p', subproject: undefined, headers: {}, body: {}, entries: [], refused: [] };
  const state = { counts: new Map(), activations: new Map(), now: 0, change: 1, seed: 's' };
  expect(explainNotes(rules, operation, decideAtOnce(rules, subject, state))).toMatchObject([{ fired: false, why }]);
});
