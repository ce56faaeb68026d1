/** Matching ends soon after the limit of tests. flows/transcripts/rule-limits.txt has what counts as one. */
import { expect, test } from 'vitest';
import { compileScenario, createRuleSet } from '../../src/scenarios/compile.ts';
import { match, maxTests, type Subject } from '../../src/scenarios/matching.ts';
import type { Scenario } from '../../src/scenarios/types.ts';

/** A request of ten thousand jobs with a long text, in whose cities every reading is counted. */
function createSubject() {
  const reads = { count: 0 };
  const text = 'x'.repeat(50_000);
  const entries = Array.from({ length: 10_000 }, (_, index) => ({
    item: index + 1,
    id: `J-${index}`,
    value: {
      text,
      get city() {
        reads.count += 1;
        return 'city';
      },
    },
  }));
  const place = { operation: 'asyncImportJobs', project: 'p', subproject: undefined, headers: {}, body: {} };
  return { subject: { ...place, entries, refused: [] } satisfies Subject, reads };
}

const item = { where: { city: { gt: 'c' }, text: `*${'y'.repeat(200)}` } };
const then = { fail: 'No' };
const thousand = <Value>(value: Value): readonly Value[] => Array.from({ length: 1000 }, () => value);

test.each<[string, Pick<Scenario, 'rules' | 'expect'>]>([
  ['rules', { rules: thousand({ when: { item }, then }) }],
  ['expectations', { rules: [{ then }], expect: thousand({ requests: { item } }) }],
  ['expectations about numbers', { rules: [{ then }], expect: thousand({ requests: { item: { every: 10_001 } } }) }],
])('matching ends soon after the limit, however many %s are left', async (_, content) => {
  const { subject, reads } = createSubject();
  const scenario = await compileScenario({ name: 'it', ...content });
  expect(match(createRuleSet([{ scope: 'project', scenarios: [scenario] }]), subject).isTooMuch).toBe(true);
  // Each of the texts costs half a million tests.
  expect(reads.count).toBeLessThan(2 * (maxTests / 500_000) + 4);
});
