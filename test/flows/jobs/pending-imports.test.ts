/** Many updates of what many imports have still to bring: each is told so, and looked up, not searched for. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });

test('distinguishes ids of pending imports from unknown ids among 100,000', async () => {
  const project = freshProject();
  for (let batch = 0; batch < 10; batch += 1) {
    const jobs = Array.from({ length: 10_000 }, (_, n) => ({ id: `J-${batch}-${n}` }));
    expect((await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs })).status).toBe(202);
  }
  const ids = [...Array.from({ length: 9998 }, (_, n) => `unknown-${n}`), 'J-0-0', 'J-9-9999'];
  const update = { jobs: ids.map((id) => ({ id, status: 'DELIVERED' })) };
  const { body } = await sandbox.api('PATCH', `/sync/projects/${project}/jobs/batch`, update);
  const failed = body.failed as { id: string; reason: string }[];
  expect(failed).toHaveLength(10_000);
  expect(failed.filter(({ reason }) => reason.includes('pending')).map(({ id }) => id)).toEqual(['J-0-0', 'J-9-9999']);
});
