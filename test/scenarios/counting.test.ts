/** Counts are exact, however many requests come at once. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();

/** So many requests at once, each with a record of its own; the statuses. */
function flood(project: string, count: number): Promise<number[]> {
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const body = JSON.stringify({ orders: [{ id: `O-${index}` }] });
      const url = `${sandbox.url()}/sync/projects/${project}/orders`;
      return (await fetch(url, { method: 'POST', headers, body })).status;
    }),
  );
}

async function use(project: string, rules: readonly object[]): Promise<void> {
  const answer = await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'it', rules }] });
  expect(answer.status).toBe(200);
}

const broken = { respond: { status: 503 } };

test('a rule with times: 7 fires seven times, next to a rule for every fourth request, on 200 at once', async () => {
  const project = freshProject();
  await use(project, [
    { when: { request: { every: 4 } }, then: { respond: { status: 500 } } },
    { times: 7, then: broken },
  ]);
  const statuses = await flood(project, 200);
  expect(statuses.filter((status) => status === 500)).toHaveLength(50);
  expect(statuses.filter((status) => status === 503)).toHaveLength(7);
});
