import { defineConfig } from 'vitest/config';
import { amountsOf } from './test/chaos/amounts.ts';
import { yamlPlugin } from './yaml-plugin.ts';

/**
 * Disturbances of the built program: killed, without space, its clock turned, its clients slow. Apart from the other tests,
 * since they need a build and minutes; `--mode short` does the same with smaller numbers, `--sequence.seed` gives a seed.
 */
const config: ReturnType<typeof defineConfig> = defineConfig(({ mode }) => ({
  plugins: [yamlPlugin()],
  test: {
    include: ['test/chaos/*.test.ts'],
    globalSetup: 'test/chaos/seed.ts',
    provide: { amounts: amountsOf(mode) },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Most of them mostly wait; beyond three, what is measured is each other.
    maxWorkers: 3,
  },
}));

export default config;
