/** Tests loading at first use. */
import { expect, test } from 'vitest';
import { createLazy } from '../../src/lib/lazy.ts';

test('loads once, and returns the same value to all calls', async () => {
  let loads = 0;
  const get = createLazy(async () => ({ number: ++loads }));
  const [first, second] = await Promise.all([get(), get()]);
  expect(first).toBe(second);
  expect(await get()).toBe(first);
  expect(loads).toBe(1);
});

test('loads again after a failed load', async () => {
  let loads = 0;
  const get = createLazy(async () => {
    loads += 1;
    if (loads < 3) throw new Error(`load ${loads} failed`);
    return loads;
  });
  const failed = await Promise.allSettled([get(), get()]);
  expect(failed.map((one) => one.status === 'rejected' && String(one.reason))).toEqual([
    'Error: load 1 failed',
    'Error: load 1 failed',
  ]);
  await expect(get()).rejects.toThrow('load 2 failed');
  expect(await get()).toBe(3);
  expect(await get()).toBe(3);
});
