/** Chance comes from the seed and the number of the request: the same again each time, and as likely as it says. */
import { expect, test } from 'vitest';
import { freshProject, type TestSandbox, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();
const otherSeed = useSandbox({ seed: 'another' });

async function use(on: TestSandbox, rule: object, seed?: string): Promise<string> {
  const project = freshProject();
  const scenario = { name: 'chancy', ...(seed && { seed }), rules: [rule] };
  expect((await on.control('PUT', `/projects/${project}/scenarios`, { scenarios: [scenario] })).status).toBe(200);
  return project;
}

/** One letter for each of so many requests, one after another. */
async function draw(on: TestSandbox, project: string, count: number): Promise<string> {
  let drawn = '';
  for (let n = 0; n < count; n += 1) {
    const { status } = await on.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: `O-${n}` }] });
    drawn += status === 500 ? 'x' : '.';
  }
  return drawn;
}

const unlucky = { chance: 0.3, then: { respond: { status: 500 } } };

test('the same seed gives the same results in every project, another seed gives others', async () => {
  const drawn = await draw(sandbox, await use(sandbox, unlucky), 40);
  expect(drawn).toMatch(/x/);
  expect(drawn).toMatch(/\./);
  expect(await draw(sandbox, await use(sandbox, unlucky), 40)).toBe(drawn);
  expect(await draw(otherSeed, await use(otherSeed, unlucky), 40)).not.toBe(drawn);
  const own = await draw(sandbox, await use(sandbox, unlucky, 'of its own'), 40);
  expect(await draw(otherSeed, await use(otherSeed, unlucky, 'of its own'), 40)).toBe(own);
});

test('200 parallel requests match as often as sequential ones, near the given chance', async () => {
  const at = async () => {
    const project = await use(sandbox, unlucky);
    const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        const url = `${sandbox.url()}/sync/projects/${project}/orders`;
        return (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ orders: [{ id: `O-${n}` }] }) }))
          .status;
      }),
    );
    return statuses.filter((status) => status === 500).length;
  };
  const count = await at();
  expect(await at()).toBe(count);
  expect(count).toBeGreaterThan(40);
  expect(count).toBeLessThan(80);
});
