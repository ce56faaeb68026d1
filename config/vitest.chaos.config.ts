import { defineConfig } from 'vitest/config';
import { amountsOf } from '../test/chaos/amounts.ts';
import { yamlPlugin } from './yaml-plugin.ts';

/**
 * Tests the built program under faults: killed, no disk space, changed system clock, slow clients. Separate from the
 * other tests, because they need a build and several minutes. `--mode short` uses smaller numbers, and
 * `--sequence.seed` sets the seed.
 */
const config: ReturnType<typeof defineConfig> = defineConfig(({ mode }) => ({
  plugins: [yamlPlugin()],
  test: {
    include: ['test/chaos/*.test.ts'],
    globalSetup: 'test/chaos/seed.ts',
    provide: { amounts: amountsOf(mode) },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Most tests mostly wait, but more than three at once would disturb each other's measurements.
    maxWorkers: 3,
  },
}));

export default config;
