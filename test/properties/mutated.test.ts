/** One thing wrong with a body is found, whichever and wherever it is: refused as declared, or ignored, and nothing changes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stateOf } from '../flows/refusals.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { type Asked, allAsked, seed } from './asked.ts';
import { type Fate, type Mutant, mutantsOf } from './mutants.ts';
import { prepare } from './prepare.ts';
import { moved, movedOptions } from './profile.ts';

const settings = [
  {
    name: 'as shipped',
    runs: 60,
    invalid: 400,
    strict: false,
    sandbox: useSandbox({ magicIds: 'false' }),
    asked: allAsked(),
  },
  {
    ...{ name: '--strict', runs: 20, invalid: 400, strict: true },
    sandbox: useSandbox({ magicIds: 'false', strict: 'true' }),
    asked: allAsked(),
  },
  {
    ...{ name: 'moved by a profile', runs: 20, invalid: 422, strict: false },
    sandbox: useSandbox(movedOptions, moved),
    asked: allAsked(moved),
  },
];

/** Whether all of the request is refused, and not an entry of its list. */
function refusesAll({ operation }: Asked, { place, fate }: Mutant): boolean {
  return fate === 'whole' || !operation.listsFailures || operation.list === undefined || place.length < 2;
}

/** How many entries are listed as failed: one; of a route its own mistakes, and those of its jobs. */
function expectFate(asked: Asked, mutant: Mutant, strict: boolean): 'all' | 'one' | 'none' {
  const fate: Fate = strict && mutant.fate === 'ignored' ? 'refused' : mutant.fate;
  if (fate === 'taken' || fate === 'ignored') return 'none';
  return refusesAll(asked, mutant) ? 'all' : 'one';
}

describe.each(settings)('$name', ({ sandbox, asked: all, runs, invalid, strict }) => {
  test.each(all)('$id', async (asked) => {
    const { method, path, bodies, document, schema, operation } = asked;
    const project = await prepare(sandbox);
    const state = async () => ({
      ...((await stateOf(sandbox, project)) as object),
      rules: (await sandbox.control('GET', `/projects/${project}/scenarios`)).body,
    });
    let before = await state();
    const property = fc.asyncProperty(mutantsOf(document, schema, bodies), async (mutant) => {
      const url = path(project);
      const answer = await sandbox.api(method, url, mutant.text);
      const about = `${mutant.change} at /${mutant.place.join('/')}, ${mutant.fate}: ${method} ${url}\n${mutant.text.slice(0, 3000)}\n${answer.text.slice(0, 2000)}`;
      const after = await state();
      const fate = expectFate(asked, mutant, strict);
      if (fate === 'all') {
        expect(answer.status, about).toBe(invalid);
        expect(after, about).toEqual(before);
      } else {
        expect(answer.status, about).toBeLessThan(300);
        if (operation.listsFailures) expect(answer.body.failed.length, about).toBe(fate === 'one' ? 1 : 0);
        expect(JSON.stringify(after), about).not.toContain(mutant.fate === 'ignored' ? '"polluted"' : '"NO_SUCH"');
      }
      const ignored = mutant.fate === 'ignored' && !strict;
      if (fate === 'none') expect(answer.headers['x-sandbox-warnings'], about).toBe(ignored ? '1' : undefined);
      before = after;
    });
    await fc.assert(property, { numRuns: runs, seed, endOnFailure: true });
    await sandbox.advance(project);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
