/** The default of `--memory`. */
import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { defaultMemory, maxMemory } from '../../src/usage/admission.ts';

test('the default leaves part of the heap free', () => {
  expect(maxMemory()).toBeLessThan(getHeapStatistics().heap_size_limit);
  expect(defaultMemory()).toBeLessThanOrEqual(maxMemory());
  expect(defaultMemory()).toBeGreaterThan(64 * 1024 ** 2);
});
