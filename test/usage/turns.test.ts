/** Heavy work runs one piece in a turn of the event loop, and no key or project waits for all the work of another. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from '../../src/usage/shares.ts';
import { startOne } from '../harness/start-sandbox.ts';

test('keys take turns, and projects within a key', async () => {
  const turns = new Turns();
  const ran: string[] = [];
  const work = async (key: string, project: string): Promise<void> => {
    await turns.next(key, project);
    ran.push(`${key} ${project}`);
  };
  const a = ['a 1', 'a 1', 'a 1', 'a 2'].map((name) => work('a', name));
  await Promise.all([...a, work('b', 'b 1'), work('b', 'b 1')]);
  expect(ran).toEqual(['a a 1', 'b b 1', 'a a 2', 'b b 1', 'a a 1', 'a a 1']);
});

test('the event loop takes many turns between two pieces, so that it accepts the connections of others', async () => {
  const turns = new Turns();
  let turn = 0;
  const at: number[] = [];
  const all = Promise.all(
    Array.from({ length: 5 }, async () => {
      await turns.next('key', 'project');
      at.push(turn);
    }),
  );
  while (at.length < 5) {
    await nextTurn();
    turn += 1;
  }
  await all;
  const between = at.slice(1).map((now, index) => now - (at[index] as number));
  expect(Math.min(...between)).toBeGreaterThanOrEqual(32);
});

test('short requests that take long, here by rules, do not delay those of another key', async () => {
  const { url } = await startOne({ apiKeys: ['a=slow', 'b=other'] });
  const send = (apikey: string, method: string, path: string, body: object) =>
    fetch(url + path, { method, headers: { apikey, 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const rules = Array.from({ length: 500 }, (_, n) => ({
    when: { item: { id: `${'*a'.repeat(60)}${n}` } },
    then: { fail: 'x' },
  }));
  await send('a', 'PUT', '/_sandbox/projects/slow/scenarios', { scenarios: [{ name: 'globs', rules }] });
  const ended: string[] = [];
  const importJobs = async (key: string, project: string, count: number): Promise<void> => {
    const jobs = Array.from({ length: count }, (_, n) => ({ id: `${'a'.repeat(200)}${n}` }));
    const answer = await send(key, 'POST', `/sync/projects/${project}/jobs/batch`, { jobs });
    ended.push(`${key} ${answer.status}`);
  };
  await Promise.all([...Array.from({ length: 12 }, () => importJobs('a', 'slow', 15)), importJobs('b', 'other', 1)]);
  expect(ended.indexOf('b 200')).toBeLessThan(6);
  expect(ended.filter((one) => one === 'a 200')).toHaveLength(12);
});
