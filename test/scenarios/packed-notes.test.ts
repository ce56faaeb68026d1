/** Checks the notes of the journal about rules: packed, counted, and explained on demand. */
import { describe, expect, test } from 'vitest';
import { compileScenario, createRuleSet } from '../../src/scenarios/compile.ts';
import { explainNotes, visitNotes } from '../../src/scenarios/explain.ts';
import type { Subject } from '../../src/scenarios/matching.ts';
import type { Rule } from '../../src/scenarios/types.ts';
import { decideAtOnce } from './decide-at-once.ts';

const operation = 'asyncImportJobs';

/** Returns the notes of a request with one job. */
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

describe('the notes of ten thousand rules', () => {
  test.each<[string, readonly Rule[], number]>([
    ['with one result take the memory of one', times(10_000, () => missing), 1000],
    [
      'with one of two results share both',
      times(10_000, (index) => ({ ...missing, when: { where: { [index % 2 === 0 ? 'a' : 'b.c']: 1, d: 1 } } })),
      1000,
    ],
    [
      'with different results take memory for each',
      times(10_000, (index) => ({ ...missing, when: { item: { where: { id: `${index}`, city: `${index}*` } } } })),
      10_000 * 400,
    ],
  ])('%s', async (_, rules, size) => {
    const { decision } = await note(rules);
    expect(decision.size).toBeLessThan(size);
  });
});

test('a note of consecutive rules explains each of them', async () => {
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
])('the limit %s keeps the rules that met the most conditions, in order', async (which, places) => {
  const { set, decision } = await note([missing, missing, elsewhere, missing, firing, firing, elsewhere]);
  const explained = explainNotes(set, operation, decision, which);
  expect(explained.map(({ key }) => Number(key.split('#')[1]))).toEqual(places);
});
