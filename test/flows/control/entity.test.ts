/** The events of one id, while the response of its request is delayed. */
import { expect, test } from 'vitest';
import { createWallClock } from '../../../src/lib/time.ts';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

/** Delays of ten minutes, which end when the test says so. */
const waiting = new Set<() => void>();
const system = createWallClock();
const wall = {
  ...system,
  after: (ms: number, run: () => void) => {
    if (ms !== 600_000) return system.after(ms, run);
    waiting.add(run);
    return () => waiting.delete(run);
  },
};
const slow = useSandbox({}, shippedProfile, wall);

test('a request whose response is delayed shows what was applied before it', async () => {
  const project = freshProject();
  await slow.control('PUT', `/projects/${project}/clock`, { mode: 'frozen' });
  const rule = { then: { latency: '10m' } };
  await slow.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'slow', rules: [rule] }] });
  const sent = slow.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'JOB-1' }] });
  await expect.poll(() => waiting.size).toBe(1);
  await slow.advance(project);
  for (const respond of waiting) respond();
  await sent;
  const { body } = await slow.control('GET', `/projects/${project}/entities/JOB-1`);
  expect(body.items.map(({ kind }: { kind: string }) => kind)).toEqual(['request', 'applied']);
});
