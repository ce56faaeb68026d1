/** Heavy work runs one piece in a turn of the event loop, and no key or project waits for all the work of another. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from '../../src/usage/shares.ts';

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
