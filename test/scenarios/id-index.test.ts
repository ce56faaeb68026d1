import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileScenario, createRuleSet } from '../../src/scenarios/compile.ts';
import { matchesGlob } from '../../src/scenarios/glob.ts';
import type { When } from '../../src/scenarios/types.ts';

const operation = 'asyncImportJobs';

/** The places of the rules that can concern entries with these ids, from 0. */
async function find(whens: readonly When[], ids: readonly string[]): Promise<readonly number[]> {
  const rules = whens.map((when) => ({ when, then: { refuse: 'No' } }));
  const set = createRuleSet([{ scope: 'project', scenarios: [await compileScenario({ name: 'indexed', rules })] }]);
  const entries = ids.map((id, index) => ({ item: index + 1, id, value: { id } }));
  return set.findCandidates(operation, entries).rules.map(({ rule }) => Number(rule.id.split('#')[1]) - 1);
}

test('the index never skips a rule that matches', async () => {
  const glob = fc.string({ unit: fc.constantFrom('a', 'b', '-', '*', '?', 'é', '𝄞'), minLength: 1, maxLength: 6 });
  const id = fc.string({ unit: fc.constantFrom('a', 'b', '-', 'é', '𝄞'), maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(glob, { minLength: 1, maxLength: 8 }),
      fc.array(id, { maxLength: 4 }),
      async (globs, ids) => {
        const found = await find(
          globs.map((one) => ({ item: { id: one } })),
          ids,
        );
        const matching = globs.flatMap((one, place) => (ids.some((text) => matchesGlob(one, text)) ? [place] : []));
        expect(found).toEqual(expect.arrayContaining(matching));
        expect(found).toEqual(found.toSorted((a, b) => a - b));
      },
    ),
    { seed: 7 },
  );
});
