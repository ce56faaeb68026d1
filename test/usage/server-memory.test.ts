/** The look at V8's heap beside what is counted, and the defaults of the bound. */
import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { defaultMemory, maxMemory, ServerMemory } from '../../src/usage/admission.ts';

test('checks the heap only after a certain growth or number of calls', () => {
  let looks = 0;
  let used = 10;
  const heap = () => {
    looks += 1;
    return { used_heap_size: used, heap_size_limit: 100 };
  };
  const memory = new ServerMemory(1000, heap);
  for (let n = 0; n < 499; n += 1) memory.isHeapFull();
  expect(looks).toBe(0);
  expect(memory.isHeapFull()).toBe(false);
  expect(looks).toBe(1);
  used = 95;
  expect(memory.isHeapFull()).toBe(false);
  memory.bytes += 1024 ** 2;
  expect(memory.isHeapFull()).toBe(true);
  expect(looks).toBe(2);
  used = 10;
  for (let n = 0; n < 50; n += 1) memory.isHeapFull();
  expect(memory.isHeapFull()).toBe(false);
});

test('the default leaves part of the heap free', () => {
  expect(maxMemory()).toBeLessThan(getHeapStatistics().heap_size_limit);
  expect(defaultMemory()).toBeLessThanOrEqual(maxMemory());
  expect(defaultMemory()).toBeGreaterThan(64 * 1024 ** 2);
});
