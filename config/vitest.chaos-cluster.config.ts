import { defineConfig } from 'vitest/config';
import { amountsOf } from '../test/chaos/amounts.ts';
import { yamlPlugin } from './yaml-plugin.ts';

/**
 * Tests replicas of the built program on a real PostgreSQL under load and faults: killed, paused, cut off, updated.
 * Separate from the other faults, because it measures times and needs PostgreSQL. `--mode short` uses smaller numbers, and
 * `--sequence.seed` sets the seed.
 */
const config: ReturnType<typeof defineConfig> = defineConfig(({ mode }) => ({
  plugins: [yamlPlugin()],
  test: {
    include: ['test/chaos/cluster/*.test.ts'],
    globalSetup: ['test/chaos/seed.ts', 'test/cluster/harness/setup.ts'],
    setupFiles: 'test/cluster/harness/end-with-parent.ts',
    provide: { amounts: amountsOf(mode) },
    pool: 'forks',
    // Fifty kills take a quarter of an hour on a machine that is busy otherwise.
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
  },
}));

export default config;
