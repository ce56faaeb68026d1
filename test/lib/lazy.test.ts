/** What is loaded at its first use is loaded once, and a failed load is tried again. */
import { expect, test } from 'vitest';
import { createLazy } from '../../src/lib/lazy.ts';

test('calls share one load and its value', async () => {
  let loads = 0;
  const get = createLazy(async () => ({ number: ++loads }));
  const [first, second] = await Promise.all([get(), get()]);
  expect(first).toBe(second);
  expect(await get()).toBe(first);
  expect(loads).toBe(1);
});

test('a failed load is forgotten, and the next call loads again', async () => {
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
