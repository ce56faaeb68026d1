/** A thousand worlds at once, each its own; beyond that the least recently used go, and memory stays where it was. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: 'frozen' });

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that are held when all that is not needed has gone; what is weakly held, or ends with a turn, goes turn by turn. */
async function held(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 8; round += 1) {
    await new Promise((turn) => setImmediate(turn));
    collect();
    least = Math.min(least, process.memoryUsage().heapUsed);
  }
  return least;
}

async function ask(
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { apikey: 'sandbox-key', ...(body && { 'content-type': 'application/json' }) };
  const answer = await fetch(sandbox.url() + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const rules = (n: number) => [
  { when: { item: { id: 'BAD' } }, then: { fail: `reason ${n}`, after: `${(n % 9) + 1}s` } },
];

/** A short life: a scenario of its own, an import that will fail in part; only one with nothing pending can be evicted. */
async function begin(n: number, isIdle = false): Promise<void> {
  const scenarios = [{ name: `own-${n}`, rules: rules(n) }];
  expect((await ask('PUT', `/_sandbox/projects/w-${n}/scenarios`, { scenarios })).status).toBe(200);
  const jobs = { jobs: [{ id: 'GOOD', tags: [`${n}`] }, { id: 'BAD' }] };
  const [path, status] = isIdle ? [`/sync/projects/w-${n}/jobs/batch`, 200] : [`/async/projects/w-${n}/jobs`, 202];
  expect((await ask('POST', path, jobs)).status).toBe(status);
}

async function inParallel(from: number, to: number, live: (n: number) => Promise<void>): Promise<void> {
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < to) await live(next++);
  };
  await Promise.all(Array.from({ length: 40 }, worker));
}

const count = async (): Promise<number> => {
  let [total, cursor] = [0, ''];
  do {
    const { body } = await ask('GET', `/_sandbox/projects?limit=1000${cursor}`);
    total += (body['items'] as unknown[]).length;
    cursor = body['next'] === undefined ? '' : `&cursor=${String(body['next'])}`;
  } while (cursor !== '');
  return total;
};

test('1,000 projects have their own clocks and scenarios; 9,000 more are created and evicted', {
  timeout: 400_000,
}, async () => {
  await inParallel(0, 1000, (n) => begin(n));
  expect(await count()).toBe(1000);
  // None is idle, so there is no room for a fork.
  expect((await ask('POST', '/_sandbox/projects/w-0/fork', { to: 'fork' })).status).toBe(507);
  await inParallel(0, 1000, async (n) => {
    const by = `${(n % 9) + 1}s`;
    const { body } = await ask('POST', `/_sandbox/projects/w-${n}/clock/advance`, { by });
    expect(body).toMatchObject({ processed: 2, delivered: 1, pending: 0 });
    const { body: callbacks } = await ask('GET', `/_sandbox/projects/w-${n}/callbacks`);
    const [callback] = callbacks['items'] as { body: { data: object } }[];
    expect(callback?.body.data).toMatchObject({ failed: [{ id: 'BAD', reason: `reason ${n}` }] });
  });
  const before = await held();

  await inParallel(1000, 10_000, (n) => begin(n, true));
  expect(await count()).toBe(1000);
  await ask('GET', '/_sandbox/projects/w-9999');
  expect((await ask('GET', '/_sandbox/projects/w-0/jobs')).body['items']).toEqual([]);
  const after = await held();
  expect(after / before, `${before} then ${after} bytes`).toBeLessThan(1.2);
});
