/** The sandbox accepts every body that the documented fields of an operation allow. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amountOf } from '../harness/amounts.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { allAsked, seed } from '../model/asked.ts';
import { hasEmptyList } from '../model/mutants.ts';
import { documented, kindOf, listOf } from '../model/operations.ts';
import { prepare } from './prepare.ts';
import { moved, movedOptions } from './profile.ts';

const settings = [
  { name: 'as shipped', runs: amountOf('validBodies'), sandbox: useSandbox({ magicIds: 'false' }), asked: allAsked() },
  {
    name: '--strict',
    runs: amountOf('validBodiesElsewhere'),
    sandbox: useSandbox({ magicIds: 'false', strict: 'true' }),
    asked: allAsked(),
  },
  {
    name: 'moved by a profile',
    runs: amountOf('validBodiesElsewhere'),
    sandbox: useSandbox(movedOptions, moved),
    asked: allAsked(moved),
  },
];

describe.each(settings)('$name', ({ sandbox, asked, runs }) => {
  test.each(asked)(
    '$id accepts every body that its fields allow',
    async ({ id, listsFailures, method, path, bodies }) => {
      const project = await prepare(sandbox);
      const property = fc.asyncProperty(bodies, async (body) => {
        const url = path(project);
        const answer = await sandbox.api(method, url, body);
        const asked = `${method} ${url}\n${JSON.stringify(body)}\n${answer.text}`;
        expect(answer.status, asked).toBeLessThan(300);
        expect(answer.headers['x-sandbox-warnings'], asked).toBe(hasEmptyList(body) ? '1' : undefined);
        if (!listsFailures) return;
        const { failed, jobs, orders } = answer.body;
        expect(failed, asked).toEqual([]);
        expect((jobs ?? orders).length, asked).toBe(countEntries(listOf(id), body));
      });
      await fc.assert(property, { numRuns: runs, seed, endOnFailure: true });
      await sandbox.advance(project);
      expect(await sandbox.items(project, 'callbacks')).toEqual([]);
      if (documented[id][0] === 'POST' && /Job|Route|Order/.test(id))
        expect((await sandbox.items(project, kindOf(id))).length).toBeGreaterThan(5);
    },
  );
});

function countEntries(list: string | undefined, body: Record<string, unknown>): number {
  if (list === undefined) return 1;
  const entries = body[list] as readonly { jobs?: readonly unknown[] }[];
  return list === 'routes' ? entries.reduce((sum, { jobs = [] }) => sum + jobs.length, 0) : entries.length;
}
