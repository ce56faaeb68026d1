/** Beyond a thousand projects, the least recently used are evicted, and memory stays where it was. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { maxProjects } from '../../../src/project/registry.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { sendPipelined } from '../pipeline.ts';

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

/** Each project has a scenario and a job of its own. */
function toRequests(n: number) {
  const scenarios = [{ name: `own-${n}`, rules: [{ when: { item: { id: 'BAD' } }, then: { fail: `reason ${n}` } }] }];
  const jobs = [{ id: 'GOOD', tags: [`${n}`] }, { id: 'BAD' }];
  return [
    { method: 'PUT', path: `/_sandbox/projects/w-${n}/scenarios`, body: { scenarios } },
    { method: 'POST', path: `/sync/projects/w-${n}/jobs/batch`, body: { jobs } },
  ];
}

async function fill(from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 100) {
    const requests = Array.from({ length: 100 }, (_, at) => toRequests(n + at)).flat();
    expect(new Set(await sendPipelined(sandbox.url(), requests))).toEqual(new Set([200]));
  }
}

test('9,000 further projects are created and evicted', { timeout: 400_000 }, async () => {
  await fill(0, maxProjects);
  const before = await held();
  await fill(maxProjects, 10_000);
  const after = await held();
  expect(after / before, `${before} then ${after} bytes`).toBeLessThan(1.2);
  const { items } = (await sandbox.control('GET', '/projects?limit=1000')).body;
  expect([items.length, items.at(-1).id]).toEqual([maxProjects, 'w-9999']);
  expect((await sandbox.control('GET', '/projects/w-0/jobs')).body.items).toEqual([]);
});
