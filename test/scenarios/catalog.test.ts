/** Checks the failure catalog: its text for each kind, and the ways to produce the kind that it finds. */
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type CatalogEntry, toCatalog } from '../../src/scenarios/catalog.ts';
import { failureKinds, isCallbackKind, type OperationTraits } from '../../src/scenarios/failure-kinds.ts';
import type { Rule, Scenario, When } from '../../src/scenarios/types.ts';

const byCallback: OperationTraits = { byCallback: true, listsFailures: true, statuses: [429, 400, 503] };
const none = { magicIds: undefined, shipped: [] };

/** After a change of texts, run `npx vitest run test/scenarios/catalog.test.ts -u` and read the difference. */
describe('the catalog of an operation that', () => {
  test.each<[string, OperationTraits]>([
    ['reports by callback', byCallback],
    ['lists failures', { byCallback: false, listsFailures: true, statuses: [400] }],
    ['has a single result', { byCallback: false, listsFailures: false, statuses: [] }],
  ])('%s', async (name, traits) => {
    const text = toCatalog('anOperation', traits, none).map(({ yaml }) => yaml);
    await expect(text.join('---\n')).toMatchFileSnapshot(`./catalog/${name.replaceAll(' ', '-')}.yaml`);
  });
});

/** Returns the kinds that a rule for this kind produces as well. */
const alsoMet = (kind: string): readonly string[] => (kind.startsWith('callback-') ? ['failed-downstream'] : []);

test.each(failureKinds(byCallback).map(({ kind }) => kind))(
  'the rule for %s produces this kind and no other',
  (wanted) => {
    const kinds = failureKinds(byCallback);
    const { effect = '', about } = kinds.find(({ kind }) => kind === wanted) ?? {};
    const done = kinds.filter((kind) => kind.does(parse(effect))).map(({ kind }) => kind);
    expect(done).toEqual([...alsoMet(wanted), wanted]);
    const { about: shown } = toCatalog('anOperation', byCallback, none).find(({ kind }) => kind === wanted) ?? {};
    expect(shown).toBe(about);
    expect(isCallbackKind({ kind: wanted })).toBe(wanted.startsWith('callback-'));
  },
);

test.each<[string, object, readonly string[]]>([
  ['a latency with a planned response', { latency: '1s', respond: { status: 503 } }, ['status-503']],
  ['a latency with a callback disturbance', { latency: '1s', callback: { drop: true } }, ['callback-drop']],
  ['a status on a broken connection', { respond: { status: 503 }, connection: 'reset' }, ['connection-reset']],
  ['a status of a processed request', { respond: { status: 503 }, processed: true }, []],
  ['a delay with an order', { callback: { delay: '1s', copies: 2, order: 'reverse' } }, ['callback-order-reverse']],
])('%s counts as one kind at most', (_, effect, kinds) => {
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

describe('the catalog lists the first magic id that produces the failure', () => {
  const failing: Rule = { when: { item: { id: 'FAIL-*' } }, then: { fail: 'No' } };
  test.each<[string, readonly Rule[], string | undefined]>([
    ['a glob', [refusing({ item: { id: 'REFUSE-*' } })], 'REFUSE-1'],
    ['a list of globs', [refusing({ item: { id: ['NO-*', 'REFUSE-*'] } })], 'NO-1'],
    ['after a rule for another failure', [failing, refusing({ item: { id: 'NO' } })], 'NO'],
    ['a rule for this operation', [refusing({ operation: ['x*', 'an*'], item: { id: 'NO' } })], 'NO'],
    ['no id for another operation', [refusing({ operation: 'other', item: { id: 'NO' } })], undefined],
    ['no id for an entry number', [refusing({ item: 1 })], undefined],
    ['no id for every second entry', [refusing({ item: { every: 2 } })], undefined],
    ['no id for a whole request', [refusing()], undefined],
  ])('%s', (_, rules, id) => {
    expect(refused({ magicIds: scenario('ids', ...rules), shipped: [] })?.magicId).toBe(id);
  });
});

describe('the catalog names the scenario that produces the failure soonest', () => {
  const late = scenario('late', refusing({ request: { nth: 5 } }));
  const never = scenario('never', { then: { latency: '1s' } });
  test.each<[string, readonly Rule[], string | undefined]>([
    ['at the first request', [refusing()], 'x'],
    ['for this operation', [refusing({ operation: 'an*' })], 'x'],
    ['after a time, which does not count', [refusing({ during: { after: '1h' } })], 'x'],
    ['at the fourth request', [refusing({ request: { nth: 4 } })], 'x'],
    ['at every fourth request', [refusing({ request: { every: 4 } })], 'x'],
    ['from the fourth request', [refusing({ request: { from: 4, to: 9 } })], 'x'],
    ['at the fifth request, like an earlier scenario', [refusing({ request: { from: 5 } })], 'late'],
    ['after three requests', [refusing({ during: { afterRequests: 3 } })], 'x'],
    [
      'at the third request after three others',
      [refusing({ during: { afterRequests: 3 }, request: { nth: 3 } })],
      'late',
    ],
    ['after five requests', [refusing({ during: { afterRequests: 5 } })], 'late'],
    ['with another rule before it', [{ then: { latency: '1s' } }, refusing()], 'x'],
    ['not for another operation', [refusing({ operation: 'other' })], 'late'],
    ['not for one project', [refusing({ project: 'p' })], 'late'],
    ['not for one subproject', [refusing({ subproject: 's' })], 'late'],
    ['not for one entry', [refusing({ item: 1 })], 'late'],
    ['not for some bodies', [refusing({ where: { a: 1 } })], 'late'],
    ['not by chance', [refusing(undefined, { chance: 0.5 })], 'late'],
  ])('%s', (_, rules, name) => {
    const { header } = refused({ magicIds: undefined, shipped: [never, late, scenario('x', ...rules)] }) ?? {};
    expect(header).toBe(`x-sandbox-scenario: ${name}`);
  });

  test('the catalog names no id and no scenario if there are none', () => {
    expect(refused(none)).not.toHaveProperty('header');
    expect(refused(none)).not.toHaveProperty('magicId');
  });
});
