import { expect, test } from 'vitest';
import { compileScenario, createRuleSet } from '../../src/scenarios/compile.ts';
import { decide } from '../../src/scenarios/decide.ts';
import type { When } from '../../src/scenarios/types.ts';

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
  const { notes } = decide(rules, subject, state);
  return notes.map(({ code, saw, had }) => ({ code, saw, had }))[0];
}

test.each<readonly [When, string, unknown]>([
  [{ where: { jobs: 'a' } }, 'saw', 'a list'],
  [{ where: { 'jobs.0': 'a' } }, 'saw', 'an object'],
  [{ where: { 'jobs.0.id': 'a' } }, 'saw', `"${'x'.repeat(59)}…`],
  [{ where: { 'jobs.1': 'a' } }, 'saw', undefined],
  [{ item: { id: 'x*b' } }, 'had', [`"${'x'.repeat(59)}…`]],
  [{ item: { where: { attributes: 'a' } } }, 'had', ['an object']],
  [{ item: { where: { 'attributes.text': 'a' } } }, 'had', [`"${'y'.repeat(59)}…`]],
])('what the journal keeps of %j is a few words, and nothing of the body', async (when, key, words) => {
  expect(await note(when)).toHaveProperty(key, words);
});
