/** The catalogue of failures by itself: what it says of each kind, and which ways to it are found. */
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type CatalogEntry, toCatalog } from '../../src/scenarios/catalog.ts';
import { failureKinds, isCallbackKind, type OperationTraits } from '../../src/scenarios/failure-kinds.ts';
import type { Rule, Scenario, When } from '../../src/scenarios/types.ts';

const byCallback: OperationTraits = { byCallback: true, listsFailures: true, statuses: [429, 400, 503] };
const none = { magicIds: undefined, shipped: [] };

/** Run `npx vitest run test/scenarios/catalog.test.ts -u` after a change of words, and read what has become of them. */
describe('the catalogue of an operation that', () => {
  test.each<[string, OperationTraits]>([
    ['tells by callback', byCallback],
    ['lists failures', { byCallback: false, listsFailures: true, statuses: [400] }],
    ['says one word', { byCallback: false, listsFailures: false, statuses: [] }],
  ])('%s', async (name, tells) => {
    const text = toCatalog('anOperation', tells, none).map(({ yaml }) => yaml);
    await expect(text.join('---\n')).toMatchFileSnapshot(`./catalog/${name.replaceAll(' ', '-')}.yaml`);
  });
});

/** What else is met by whom one kind is played to. */
const alsoMet = (kind: string): readonly string[] => (kind.startsWith('callback-') ? ['failed-downstream'] : []);

test.each(failureKinds(byCallback).map(({ kind }) => kind))('the rule for %s does that and no other', (wanted) => {
  const kinds = failureKinds(byCallback);
  const { effect = '', about } = kinds.find(({ kind }) => kind === wanted) ?? {};
  const done = kinds.filter((kind) => kind.does(parse(effect))).map(({ kind }) => kind);
  expect(done).toEqual([...alsoMet(wanted), wanted]);
  const { about: shown } = toCatalog('anOperation', byCallback, none).find(({ kind }) => kind === wanted) ?? {};
  expect(shown).toBe(about);
  expect(isCallbackKind({ kind: wanted })).toBe(wanted.startsWith('callback-'));
});

test.each<[string, object, readonly string[]]>([
  ['a latency before an answer of its own', { latency: '1s', respond: { status: 503 } }, ['status-503']],
  ['a latency of a callback', { latency: '1s', callback: { drop: true } }, ['callback-drop']],
  ['a status on a connection that breaks', { respond: { status: 503 }, connection: 'reset' }, ['connection-reset']],
  ['a status after which all is done', { respond: { status: 503 }, processed: true }, []],
  ['a delay in an order', { callback: { delay: '1s', copies: 2, order: 'reverse' } }, ['callback-order-reverse']],
])('%s is no other kind', (_, effect, kinds) => {
  const done = failureKinds(byCallback).filter((kind) => kind.does(effect));
  expect(done.map(({ kind }) => kind)).toEqual(kinds);
});

const scenario = (name: string, ...rules: readonly Rule[]): Scenario => ({ name, rules });
const refusing = (when?: When, more: Partial<Rule> = {}): Rule => ({
  ...(when && { when }),
  then: { refuse: 'No' },
  ...more,
});
const refused = (ways: Parameters<typeof toCatalog>[2]): CatalogEntry | undefined =>
  toCatalog('anOperation', byCallback, ways).find(({ kind }) => kind === 'refused');

describe('a magic id is the first that does it', () => {
  const failing: Rule = { when: { item: { id: 'FAIL-*' } }, then: { fail: 'No' } };
  test.each<[string, readonly Rule[], string | undefined]>([
    ['a glob', [refusing({ item: { id: 'REFUSE-*' } })], 'REFUSE-1'],
    ['a list of them', [refusing({ item: { id: ['NO-*', 'REFUSE-*'] } })], 'NO-1'],
    ['behind another', [failing, refusing({ item: { id: 'NO' } })], 'NO'],
    ['of this operation', [refusing({ operation: ['x*', 'an*'], item: { id: 'NO' } })], 'NO'],
    ['of another operation', [refusing({ operation: 'other', item: { id: 'NO' } })], undefined],
    ['a number', [refusing({ item: 1 })], undefined],
    ['every second', [refusing({ item: { every: 2 } })], undefined],
    ['no entry', [refusing()], undefined],
  ])('%s', (_, rules, id) => {
    expect(refused({ magicIds: scenario('ids', ...rules), shipped: [] })?.magicId).toBe(id);
  });
});

describe('of the scenarios that do it for all, the soonest is named', () => {
  const late = scenario('late', refusing({ request: { nth: 5 } }));
  const never = scenario('never', { then: { latency: '1s' } });
  test.each<[string, readonly Rule[], string | undefined]>([
    ['at once', [refusing()], 'x'],
    ['of this operation', [refusing({ operation: 'an*' })], 'x'],
    ['in no time that is counted', [refusing({ during: { after: '1h' } })], 'x'],
    ['at the fourth request', [refusing({ request: { nth: 4 } })], 'x'],
    ['at each fourth', [refusing({ request: { every: 4 } })], 'x'],
    ['from the fourth', [refusing({ request: { from: 4, to: 9 } })], 'x'],
    ['at the fifth, as another before it', [refusing({ request: { from: 5 } })], 'late'],
    ['after three others', [refusing({ during: { afterRequests: 3 } })], 'x'],
    ['after three others, the third', [refusing({ during: { afterRequests: 3 }, request: { nth: 3 } })], 'late'],
    ['after five others', [refusing({ during: { afterRequests: 5 } })], 'late'],
    ['behind a rule that does something else', [{ then: { latency: '1s' } }, refusing()], 'x'],
    ['of another operation', [refusing({ operation: 'other' })], 'late'],
    ['in one project', [refusing({ project: 'p' })], 'late'],
    ['in one subproject', [refusing({ subproject: 's' })], 'late'],
    ['on one entry', [refusing({ item: 1 })], 'late'],
    ['for some bodies', [refusing({ where: { a: 1 } })], 'late'],
    ['by chance', [refusing(undefined, { chance: 0.5 })], 'late'],
  ])('%s', (_, rules, name) => {
    const { header } = refused({ magicIds: undefined, shipped: [never, late, scenario('x', ...rules)] }) ?? {};
    expect(header).toBe(`x-sandbox-scenario: ${name}`);
  });

  test('none where there is none', () => {
    expect(refused(none)).not.toHaveProperty('header');
    expect(refused(none)).not.toHaveProperty('magicId');
  });
});
