/** Scenarios that stay active while others are compiled, which takes a moment. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

const toScenario = (name: string, refuse: string, rules = 1) => ({
  name,
  rules: Array.from({ length: rules }, (_, n) => ({ when: { item: { id: `X-${n}` } }, then: { refuse } })),
});

async function readMemory(): Promise<number> {
  const { text } = await sandbox.control('GET', '/metrics');
  return Number(/^sandbox_memory_bytes (\d+)/m.exec(text)?.[1]);
}

test('a version that another request activates meanwhile stays', async () => {
  const project = freshProject();
  const path = `/projects/${project}/scenarios`;
  await sandbox.control('PUT', path, { scenarios: [toScenario('kept', 'old')] });
  const before = await readMemory();
  const others = Array.from({ length: 20 }, (_, n) => toScenario(`other-${n}`, 'no', 200));
  const large = sandbox.control('PUT', path, { scenarios: ['kept', ...others], keep: true });
  // The memory of the body is reserved while it is compiled.
  await expect.poll(readMemory, { interval: 1 }).toBeGreaterThan(before + 500_000);
  expect((await sandbox.control('PUT', `${path}/kept`, toScenario('kept', 'new'))).status).toBe(200);
  expect((await large).status).toBe(200);
  const { body } = await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'X-0' }] });
  expect(body.failed).toEqual([{ id: 'X-0', reason: 'new' }]);
});
