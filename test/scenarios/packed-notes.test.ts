/** What the journal keeps of rules: packed, counted, and explained as far as is asked for. */
import { describe, expect, test } from 'vitest';
import { compileScenario, createRuleSet } from '../../src/scenarios/compile.ts';
import { explainNotes, visitNotes } from '../../src/scenarios/explain.ts';
import type { Subject } from '../../src/scenarios/matching.ts';
import type { Rule } from '../../src/scenarios/types.ts';
import { decideAtOnce } from './decide-at-once.ts';

const operation = 'asyncImportJobs';

/** What is noted of a request with one job. */
async function note(rules: readonly Rule[], more: Partial<Subject> = {}) {
  const scenario = await compileScenario({ name: 'it', rules });
  const set = createRuleSet([{ scope: 'project', scenarios: [scenario] }]);
  const entries = [{ item: 1, id: 'J-1', value: { id: 'J-1', city: 'Bern' } }];
  const body = { jobs: entries.map(({ value }) => value) };
  const subject = { operation, project: 'p', subproject: undefined, headers: {}, body, entries, refused: [], ...more };
  const state = { counts: new Map(), activations: new Map(), now: 0, change: 1, seed: 's' };
  return { set, decision: decideAtOnce(set, subject, state) };
}

const times = (count: number, toRule: (index: number) => Rule): readonly Rule[] =>
  Array.from({ length: count }, (_, index) => toRule(index));

const missing: Rule = { when: { where: { city: 'Bern' } }, then: { fail: 'No' } };
const firing: Rule = { then: { fail: 'No' } };
const elsewhere: Rule = { when: { operation: 'syncCreateJob' }, then: { fail: 'No' } };

describe('ten thousand rules', () => {
  test.each<[string, readonly Rule[], number]>([
    ['of which the same is noted take the room of one', times(10_000, () => missing), 1000],
    [
      'of which one of two things is noted share both',
      times(10_000, (index) => ({ ...missing, when: { where: { [index % 2 === 0 ? 'a' : 'b.c']: 1, d: 1 } } })),
      1000,
    ],
    [
      'of which something else is noted each take their own',
      times(10_000, (index) => ({ ...missing, when: { item: { where: { id: `${index}`, city: `${index}*` } } } })),
      10_000 * 400,
    ],
  ])('%s', async (_, rules, size) => {
    const { decision } = await note(rules);
    expect(decision.size).toBeLessThan(size);
  });
});

test('what is noted of neighbours is explained for each of them', async () => {
  const { set, decision } = await note([missing, missing, elsewhere, missing, firing, firing, elsewhere]);
  const explained = explainNotes(set, operation, decision);
  expect(explained.map(({ key, came, fired }) => [key, came, fired])).toEqual([
    ['project/it#1', 'where', false],
    ['project/it#2', 'where', false],
    ['project/it#3', 'operation', false],
    ['project/it#4', 'where', false],
    ['project/it#5', 'fired', true],
    ['project/it#6', 'outdone', false],
    ['project/it#7', 'operation', false],
  ]);
  const visited: unknown[] = [];
  visitNotes(set, operation, decision, (key, came, why) => visited.push({ key, came, why: why() }));
  expect(visited).toEqual(explained.map(({ key, came, why }) => ({ key, came, why })));
});

test.each<[number | 'fired', readonly number[]]>([
  ['fired', [5]],
  [0, []],
  [1, [5]],
  [2, [5, 6]],
  [4, [1, 2, 5, 6]],
  [6, [1, 2, 3, 4, 5, 6]],
  [7, [1, 2, 3, 4, 5, 6, 7]],
  [8, [1, 2, 3, 4, 5, 6, 7]],
])('of seven rules %s are those that came furthest, in their order', async (which, places) => {
  const { set, decision } = await note([missing, missing, elsewhere, missing, firing, firing, elsewhere]);
  const explained = explainNotes(set, operation, decision, which);
  expect(explained.map(({ key }) => Number(key.split('#')[1]))).toEqual(places);
});
