/** What the journal notes about rules: results of conditions on secrets, and little memory for many rules. */
import { describe, expect, test } from 'vitest';
import { compileScenario, createRuleSet } from '../../src/scenarios/compile.ts';
import { type Decision, decide } from '../../src/scenarios/decide.ts';
import { match, type Subject } from '../../src/scenarios/matching.ts';
import type { Rule, When } from '../../src/scenarios/types.ts';

/** Decides a request with two jobs that has a secret in each job and in its headers. */
async function decideOn(rules: readonly Rule[], more: Partial<Subject> = {}): Promise<Decision> {
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
  const matches = match(createRuleSet([{ scope: 'project', scenarios: [scenario] }]), subject);
  const server = { counts: new Map(), wallMs: 500, clockRate: 0 };
  const state = { counts: new Map(), activations: new Map(), now: 500, change: 1, seed: 's', server };
  return decide(matches, subject.entries.length, state);
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

describe('the notes of ten thousand rules', () => {
  const toRules = (toWhere: (index: number) => When): readonly Rule[] =>
    Array.from({ length: 10_000 }, (_, index) => toRule(toWhere(index)));

  test.each<[string, readonly Rule[], number]>([
    ['with one result take the memory of one', toRules(() => ({ where: { city: 'Bern' } })), 1000],
    [
      'with one of two results share both',
      toRules((index) => ({ where: { [index % 2 === 0 ? 'a' : 'b.c']: 1, d: 1 } })),
      1000,
    ],
    [
      'with different results take memory for each',
      toRules((index) => ({ item: { where: { id: `${index}`, city: `${index}*` } } })),
      10_000 * 400,
    ],
  ])('%s', async (_, rules, size) => {
    expect((await decideOn(rules)).size).toBeLessThan(size);
  });
});
