/** Who waits is counted in each project and in all, and given back once. */
import { expect, test } from 'vitest';
import { ClientSlots } from '../../src/usage/shares.ts';

test('limits the seats of each project and of all, and releases each once', () => {
  const memory = { bytes: 0 };
  let refused = 0;
  const seats = new ClientSlots({
    name: 'waiting',
    limit: 2,
    max: 3,
    bytesEach: 10,
    memory,
    onRejected: () => {
      refused += 1;
    },
  });
  const first = seats.take('a');
  seats.take('a');
  expect(seats.check('a')?.message).toContain('"limits.project.waiting" is 2');
  expect(seats.check(undefined)).toBeUndefined();
  const third = seats.take(undefined);
  expect(seats.check('b')?.message).toContain('the server accepts at most 3 waiting requests');
  expect([seats.count('a'), memory.bytes, refused]).toEqual([2, 30, 2]);
  first();
  first();
  third();
  expect([seats.count('a'), seats.count(''), memory.bytes]).toEqual([1, 0, 10]);
  expect(seats.check('a')).toBeUndefined();
});
