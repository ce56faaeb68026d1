/** Matching a request with rules: found by what entries have, and bounded in all. */
import { describe, expect, test } from 'vitest';
import { compileScenario, createRuleSet } from '../../src/scenarios/compile.ts';
import { type Matches, match as matchRequest, maxTests, type Subject } from '../../src/scenarios/matching.ts';
import type { Matcher, Rule, When } from '../../src/scenarios/types.ts';

const toRules = (count: number, toWhen: (index: number) => When): readonly Rule[] =>
  Array.from({ length: count }, (_, index) => ({ when: toWhen(index), then: { fail: 'No' } }));

/** A request of so many jobs, in whose values every reading is counted. */
function toSubject(count: number, more: Record<string, unknown> = {}) {
  const reads = { count: 0 };
  const entries = Array.from({ length: count }, (_, index) => {
    const value = { ...more, id: `J-${index + 1}` };
    Object.defineProperty(value, 'city', {
      enumerable: true,
      get: () => {
        reads.count += 1;
        return `city ${index + 1}`;
      },
    });
    return { item: index + 1, id: value.id, value };
  });
  const subject: Subject = {
    ...{ operation: 'asyncImportJobs', project: 'p', subproject: undefined, headers: {}, body: {} },
    ...{ entries, refused: [] },
  };
  return { subject, reads };
}

async function match(rules: readonly Rule[], subject: Subject): Promise<Matches> {
  const scenario = await compileScenario({ name: 'it', rules });
  return matchRequest(createRuleSet([{ scope: 'project', scenarios: [scenario] }]), subject);
}

test('a thousand rules for exact values read each entry only a few times', async () => {
  const rules = toRules(1000, (index) => ({ item: { where: { city: `city ${2 * index}` } } }));
  const { subject, reads } = toSubject(1000);
  const { results } = await match(rules, subject);
  const items = results.map((one) => one.items);
  expect(items).toEqual(Array.from({ length: 500 }, (_, index) => [2 * (index + 1)]));
  expect(reads.count).toBeLessThan(5 * 1000);
});

describe('a request that needs too many tests is rejected', () => {
  test.each<[string, readonly Rule[], number, boolean]>([
    ['rules that act on entries', toRules(95, () => ({ item: { every: 1 } })), 10_000, false],
    ['more rules that act on entries', toRules(105, () => ({ item: { every: 1 } })), 10_000, true],
    [
      'rules that draw',
      toRules(15, () => ({ item: { every: 1 } })).map((one) => ({ ...one, chance: 0.5 })),
      10_000,
      true,
    ],
    ['few tests', toRules(100, () => ({ item: { where: { weight: { gt: 9 } } } })), 1000, false],
  ])('%s', async (_, rules, count, isTooMuch) => {
    expect(rules.length * count).toBeLessThan(2 * maxTests);
    expect((await match(rules, toSubject(count, { weight: 5 }).subject)).isTooMuch).toBe(isTooMuch);
  });

  const glob = `*${'a'.repeat(50)}b`;
  const text = 'a'.repeat(1000);
  test.each<[string, When, Partial<Subject>]>([
    [
      'of ids',
      { item: { id: glob } },
      { entries: Array.from({ length: 100 }, (_, n) => ({ item: n, id: text, value: {} })) },
    ],
    ['of subprojects', { subproject: glob }, { subproject: text }],
    ['of projects', { project: ['other', glob] }, { project: text }],
  ])('globs %s cost what follows the star, at each character', async (_, when, more) => {
    const subject = { ...toSubject(1).subject, ...more };
    const cost = (text.length * 51) / 20;
    const count = Math.ceil(maxTests / (cost * subject.entries.length));
    expect(
      (
        await match(
          toRules(count + 1, () => when),
          subject,
        )
      ).isTooMuch,
    ).toBe(true);
    expect(
      (
        await match(
          toRules(count - 2, () => when),
          subject,
        )
      ).isTooMuch,
    ).toBe(false);
  });

  test('matching ends soon after the limit, whatever work is left', async () => {
    const text = 'x'.repeat(50_000);
    const { subject, reads } = toSubject(10_000, { text });
    const rules = toRules(1000, () => ({ item: { where: { city: { gt: 'c' }, text: `*${'y'.repeat(200)}` } } }));
    expect((await match(rules, subject)).isTooMuch).toBe(true);
    // Each of the texts costs half a million tests.
    expect(reads.count).toBeLessThan(2 * (maxTests / 500_000) + 4);
  });
});

test('tests of secrets are recorded by name, or as ranges if there are many, and both can be read', async () => {
  const rules = toRules(2, (index) => ({ item: { where: { password: `${index}*` } } }));
  for (const count of [3, 10_000]) {
    const subject = toSubject(count).subject;
    const entries = subject.entries.map((entry) => ({
      ...entry,
      value: { password: entry.item % 3 === 0 ? '0' : '1' },
    }));
    const { secretTests, results } = await match(rules, { ...subject, entries });
    expect(JSON.stringify(secretTests).length).toBeLessThan(20 * count + 300);
    const hidden = entries.map((entry) => ({ ...entry, value: { password: '***' } }));
    const again = await match(rules, { ...subject, entries: hidden, secretTests });
    expect(again.results.map(({ items }) => items)).toEqual(results.map(({ items }) => items));
    expect(typeof Object.values(secretTests)[0]).toBe(count === 3 ? 'boolean' : 'string');
  }
});

describe('expectations of entries', () => {
  async function search(count: number, where: (n: number) => Record<string, Matcher>, wanted: number) {
    const expectations = Array.from({ length: wanted }, (_, n) => ({
      requests: { operation: n % 2 ? 'async*' : 'sync*', item: { where: where(n) } },
    }));
    const scenario = await compileScenario({ name: 'it', rules: [{ then: { fail: 'No' } }], expect: expectations });
    const set = createRuleSet([{ scope: 'project', scenarios: [scenario] }]);
    const { subject, reads } = toSubject(count, { text: 'x'.repeat(50_000) });
    return { ...matchRequest(set, subject), reads: reads.count };
  }

  test('are found without those of other operations', async () => {
    const { matchedExpectations } = await search(5, (n) => ({ city: `* ${n}` }), 10);
    expect([...matchedExpectations]).toEqual(['project/it!2', 'project/it!4', 'project/it!6']);
  });

  test('have the same limits as rules', async () => {
    const where = { city: { gt: 'c' }, text: `*${'y'.repeat(200)}` };
    const { isTooMuch, reads } = await search(1000, () => where, 1000);
    expect(isTooMuch).toBe(true);
    expect(reads).toBeLessThan(2 * (maxTests / 500_000));
  });
});
