/** The look at V8's heap beside what is counted, and the default of `--memory`. */
import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { Admission, defaultMemory, maxMemory, ServerMemory } from '../../src/usage/admission.ts';

test('nothing grows while the heap is nearly full, and large bodies are not parsed that would fill it', () => {
  const heap = { used_heap_size: 90, heap_size_limit: 1_000_000 };
  const admission = new Admission({
    limits: {},
    journal: { bytes: () => 0, trim: () => undefined },
    memory: new ServerMemory(1000, () => heap),
    evictIdle: () => undefined,
  });
  const problem = { kind: 'full', message: expect.stringContaining('the heap of Node.js is nearly full') };
  const text = 'x'.repeat(300_000);
  expect([admission.admitBytes(1), admission.admitParsing(text)]).toEqual([undefined, undefined]);
  heap.used_heap_size = 500_000;
  expect([admission.admitBytes(1), admission.admitParsing(text)]).toMatchObject([undefined, problem]);
  heap.used_heap_size = 950_000;
  expect(admission.admitBytes(1)).toMatchObject(problem);
  heap.used_heap_size = 90;
  expect(admission.admitBytes(1)).toBeUndefined();
});

test('the default leaves part of the heap free', () => {
  expect(maxMemory()).toBeLessThan(getHeapStatistics().heap_size_limit);
  expect(defaultMemory()).toBeLessThanOrEqual(maxMemory());
  expect(defaultMemory()).toBeGreaterThan(64 * 1024 ** 2);
});
