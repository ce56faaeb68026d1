/** A limit lets through what it allows, refuses exactly what is beyond, and says rightly when to come back. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

async function useLimit(project: string, requests: number, per: string, more: object = {}): Promise<void> {
  await sandbox.freeze(project);
  const rules = [{ name: 'limit', ...more, then: { limit: { requests, per } } }];
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

test('retry-after is exact: one second less is too early, then the full limit is available', async () => {
  const project = freshProject();
  await useLimit(project, 1, '30s');
  expect((await send(project)).status).toBe(200);
  await sandbox.advance(project, '10500ms');
  const refused = await send(project);
  expect(refused.status).toBe(429);
  expect(refused.headers['retry-after']).toBe('20');
  expect(refused.body).toEqual({ message: expect.stringContaining('try again in 20 s'), code: 'too_many_requests' });
  await sandbox.advance(project, '19s');
  expect((await send(project)).headers['retry-after']).toBe('1');
  await sandbox.advance(project, '500ms');
  expect((await send(project)).status).toBe(200);
  expect((await send(project)).headers['retry-after']).toBe('30');
});

test('counts only requests that meet the other conditions, per project', async () => {
  const [one, two] = [freshProject(), freshProject()];
  await useLimit(one, 1, '1m', { when: { where: { 'headers.x-tenant': 'a' } } });
  await useLimit(two, 1, '1m');
  const tagged = (tenant: string) =>
    sandbox.api('POST', `/sync/projects/${one}/orders`, { orders: [{ id: `T-${++next}` }] }, { 'x-tenant': tenant });
  expect((await tagged('b')).status).toBe(200);
  expect((await tagged('a')).status).toBe(200);
  expect((await tagged('b')).status).toBe(200);
  expect((await tagged('a')).status).toBe(429);
  expect((await send(two)).status).toBe(200);
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
