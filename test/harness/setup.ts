/** Restores the environment after each test, because the files of a worker share it. Fixes the seed of random tests. */
import fc from 'fast-check';
import { afterEach, vi } from 'vitest';
import { isFull } from './amounts.ts';

// A failure of `npm test` is the same at the next run. With `--mode full`, the report of a failure has its seed.
if (!isFull) fc.configureGlobal({ seed: 20_260_302 });

afterEach(() => {
  vi.unstubAllEnvs();
});
