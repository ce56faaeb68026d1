/** Every single mistake in a body is found: it is rejected or ignored as declared, and changes nothing. */
import fc from 'fast-check';
import type { Response } from 'supertest';
import { describe, expect, test } from 'vitest';
import { stateOf } from '../flows/refusals.ts';
import { amountOf } from '../harness/amounts.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { type Asked, allAsked, seed } from '../model/asked.ts';
import { hasEmptyList, type Mutant, mutantsOf, toRejected } from '../model/mutants.ts';
import { prepare } from './prepare.ts';
import { moved, movedOptions } from './profile.ts';

const settings = [
  {
    name: 'as shipped',
    runs: amountOf('mutants'),
    invalid: 400,
    strict: false,
    sandbox: useSandbox({ magicIds: 'false' }),
    asked: allAsked(),
  },
  {
    ...{ name: '--strict', runs: amountOf('mutantsElsewhere'), invalid: 400, strict: true },
    sandbox: useSandbox({ magicIds: 'false', strict: 'true' }),
    asked: allAsked(),
  },
  {
    ...{ name: 'moved by a profile', runs: amountOf('mutantsElsewhere'), invalid: 422, strict: false },
    sandbox: useSandbox(movedOptions, moved),
    asked: allAsked(moved),
  },
];

/** The response to a rejected request must have the status for invalid requests; others list the rejected entry. */
function checkResponse(
  { listsFailures }: Asked,
  rejected: ReturnType<typeof toRejected>,
  invalid: number,
  { status, body }: Response,
  about: string,
  mutant: Mutant,
): void {
  if (rejected === 'all') {
    expect(status, about).toBe(invalid);
    return;
  }
  expect(status, about).toBeLessThan(300);
  if (listsFailures) expect(body.failed.length, about).toBe(rejected === 'one' ? countFailed(mutant) : 0);
}

/** Returns the number of failed entries: a route that fails lists its jobs, too. */
function countFailed({ place, text }: Mutant): number {
  const [list, index = 0, ...inner] = place;
  if (list !== 'routes' || inner.length > 1) return 1;
  const { routes } = JSON.parse(text) as { readonly routes: readonly { readonly jobs?: unknown }[] };
  const jobs = routes[Number(index)]?.jobs;
  return Array.isArray(jobs) ? 1 + jobs.length : 1;
}

describe.each(settings)('$name', ({ sandbox, asked: all, runs, invalid, strict }) => {
  test.each(all)('$id rejects or ignores every single mistake', async (asked) => {
    const { method, path } = asked;
    let project = await prepare(sandbox);
    const state = async () => ({
      ...((await stateOf(sandbox, project)) as object),
      rules: (await sandbox.control('GET', `/projects/${project}/scenarios`)).body,
    });
    /** An accepted empty subproject is stored, and causes a warning at each further update. */
    const toNext = async ({ place }: Mutant, after: object) => {
      if (place.at(-1) !== 'subProjectId') return after;
      project = await prepare(sandbox);
      return state();
    };
    let before: object = await state();
    const property = fc.asyncProperty(mutantsOf(asked), async (mutant) => {
      const url = path(project);
      const answer = await sandbox.api(method, url, mutant.text);
      const about = `${mutant.change} at /${mutant.place.join('/')}, ${mutant.fate}: ${method} ${url}\n${mutant.text.slice(0, 3000)}\n${answer.text.slice(0, 2000)}`;
      const after = await state();
      const rejected = toRejected(asked, mutant, strict);
      checkResponse(asked, rejected, invalid, answer, about, mutant);
      if (rejected === 'all') expect(after, about).toEqual(before);
      else expect(JSON.stringify(after), about).not.toContain(mutant.fate === 'ignored' ? '"polluted"' : '"NO_SUCH"');
      const expected = () => (strict ? Number(hasEmptyList(JSON.parse(mutant.text))) : mutant.warnings);
      if (rejected === 'none') expect(Number(answer.headers['x-sandbox-warnings'] ?? 0), about).toBe(expected());
      before = await toNext(mutant, after);
    });
    await fc.assert(property, { numRuns: runs, seed, endOnFailure: true });
    await sandbox.advance(project);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
