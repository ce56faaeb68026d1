/** Restores the environment after each test, because the files of a worker share it. */
import { afterEach, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
});
