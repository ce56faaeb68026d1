/** Checks the texts of the failure catalog. The ways that it lists are played in `test/flows/scenarios/catalog.test.ts`. */
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { toCatalog } from '../../src/scenarios/catalog.ts';
import { failureKinds, isCallbackKind, type OperationTraits } from '../../src/scenarios/failure-kinds.ts';

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
