/** A limit lets through what it allows, refuses exactly what is beyond, and says rightly when to come back. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

async function useLimit(project: string, requests: number, per: string): Promise<void> {
  await sandbox.freeze(project);
  const rules = [{ name: 'limit', then: { limit: { requests, per } } }];
  const answer = await sandbox.control('PUT', `/projects/${project}/scenarios`, {
    scenarios: [{ name: 'limited', rules }],
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}

let next = 0;
const send = (project: string) =>
  sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: `O-${++next}` }] });

test('exactly the surplus of a burst is rejected, without effect', async () => {
  const project = freshProject();
  await useLimit(project, 15, '1m');
  const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await send(project)).status));
  expect(statuses.filter((status) => status === 429)).toHaveLength(35);
  expect(await sandbox.items(project, 'orders')).toHaveLength(15);
});

test('for any pauses, rejects exactly the requests that exceed the window', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.integer({ min: 0, max: 1500 }), { minLength: 3, maxLength: 12 }),
      async (max, pauses) => {
        const project = freshProject();
        await useLimit(project, max, '2s');
        let now = 0;
        let from = Number.NEGATIVE_INFINITY;
        let used = 0;
        for (const pause of pauses) {
          if (pause > 0) await sandbox.advance(project, `${pause}ms`);
          now += pause;
          if (now >= from + 2000) [from, used] = [now, 0];
          used += 1;
          const { status, headers } = await send(project);
          expect(status).toBe(used > max ? 429 : 200);
          if (used > max) expect(headers['retry-after']).toBe(String(Math.ceil((from + 2000 - now) / 1000)));
        }
      },
    ),
    { numRuns: 8 },
  );
});
