import { describe, expect, test } from 'vitest';
import { compileScenario, createRuleSet } from '../../src/scenarios/compile.ts';
import { explainNotes } from '../../src/scenarios/explain.ts';
import type { Subject } from '../../src/scenarios/matching.ts';
import type { Then, When } from '../../src/scenarios/types.ts';
import { decideAtOnce } from './decide-at-once.ts';

/** What is noted of a rule that a request with one large entry does not meet. */
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
    `"${'y'.repeat(59)}…, longer than the 1103 characters that are matched`,
  ],
  [{ item: { id: 'x*b' } }, 'had', [`"${'x'.repeat(59)}…`]],
  [{ item: { where: { attributes: 'a*' } } }, 'had', ['an object']],
  [{ item: { where: { 'attributes.text': 'a*' } } }, 'had', [`"${'y'.repeat(59)}…`]],
])('what the journal keeps of %j is a few words, and nothing of the body', async (when, key, words) => {
  expect(await note(when)).toHaveProperty(key, words);
});

/** What becomes of a request with two jobs, and a secret in each and in its headers. */
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

describe('what conditions on secrets came to', () => {
  const key = 'project/noting#1';
  const passwords = { item: { where: { password: 'b' } } };

  test.each<readonly [string, When, Readonly<Record<string, boolean>>]>([
    ['a header of that name', { where: { 'headers.apikey': 'right' } }, { [`${key} headers.apikey`]: true }],
    ['a header with a key in it', { where: { 'headers.x-other': 'wrong' } }, { [`${key} headers.x-other`]: false }],
    ['another header', { where: { 'headers.x-plain': 'left' } }, {}],
    ['a header that is not there', { where: { 'headers.x-none': 'left' } }, {}],
    ['a field', { where: { name: 'plain' } }, {}],
    ['a field of entries', passwords, { [`${key} password 1`]: false, [`${key} password 2`]: true }],
    ['an id', { item: { id: 'J-a' } }, {}],
  ])('is noted: %s', async (_, when, noted) => {
    expect((await decideOn(when)).secretTests).toEqual(noted);
  });

  const hidden = { headers: { apikey: '***', 'x-other': '***', 'x-plain': 'left' }, isSecret: () => false };
  test.each<readonly [string, When, Readonly<Record<string, boolean>>, readonly number[]]>([
    ['a header of that name', { where: { 'headers.apikey': 'right' } }, { [`${key} headers.apikey`]: true }, [1, 2]],
    ['a header with a key', { where: { 'headers.x-other': 'right' } }, { [`${key} headers.x-other`]: true }, [1, 2]],
    ['a header that was not as wanted', { where: { 'headers.apikey': '*' } }, { [`${key} headers.apikey`]: false }, []],
    ['a header that is no secret', { where: { 'headers.x-plain': 'left' } }, {}, [1, 2]],
    ['entries', passwords, { [`${key} password 1`]: true, [`${key} password 2`]: false }, [1]],
  ])('is taken from what was noted: %s', async (_, when, secretTests, refused) => {
    expect((await decideOn(when, { ...hidden, secretTests })).refused).toEqual(refused);
  });
});

test('of the entries those are counted that the contract refused, and no routes', async () => {
  const refused = [{ order: 3 }, { order: 3.5 }];
  expect((await decideOn({ item: { id: 'X' } }, { refused })).outline).toEqual({
    project: 'p',
    subproject: undefined,
    count: 3,
    ids: ['J-a', 'J-b'],
    had: {},
  });
});

test('a layer that nobody has switched on is from the first request whose turn is asked for', async () => {
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
] as const)(
  'rules that are switched on by %s are so from one instant as %s, and counted each by itself',
  async (scope, layer) => {
    const scenario = await compileScenario({ name: 'it', rules: [{ then: { refuse: 'No' } }] });
    const { rules } = createRuleSet([{ scope, scenarios: [scenario, scenario] }]);
    expect(rules.map((rule) => [rule.key, rule.layer])).toEqual([
      [`${scope}/it#1`, layer],
      [`${scope}/it@2#1`, layer],
    ]);
  },
);

test.each<readonly [Then, string]>([
  [{ limit: { requests: 1, per: '1s' } }, 'matched, and was within the limit'],
  [{ refuse: 'No' }, 'matched, but there was no entry to act on'],
])('of a request without entries %j says why it did nothing', async (then, why) => {
  const scenario = await compileScenario({ name: 'noting', rules: [{ then }] });
  const rules = createRuleSet([{ scope: 'project', scenarios: [scenario] }]);
  const operation = 'asyncImportJobs';
  const subject = { operation, project: 'p', subproject: undefined, headers: {}, body: {}, entries: [], refused: [] };
  const state = { counts: new Map(), activations: new Map(), now: 0, change: 1, seed: 's' };
  expect(explainNotes(rules, operation, decideAtOnce(rules, subject, state))).toMatchObject([{ fired: false, why }]);
});
