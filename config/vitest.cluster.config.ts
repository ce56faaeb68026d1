import { defineConfig } from 'vitest/config';
import { createClosingLine } from '../test/closing-line.ts';
import { yamlPlugin } from './yaml-plugin.ts';

/** Tests replicas of the built program on a real PostgreSQL. Separate: needs PostgreSQL, a build and minutes. */
const config: ReturnType<typeof defineConfig> = defineConfig({
  plugins: [yamlPlugin()],
  test: {
    include: ['test/cluster/**/*.test.ts'],
    globalSetup: 'test/cluster/harness/setup.ts',
    setupFiles: 'test/cluster/harness/end-with-parent.ts',
    pool: 'forks',
    reporters: ['default', createClosingLine()],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // The tests mostly wait, but each file runs several replicas, and their deadlines are real time.
    maxWorkers: 2,
  },
});

export default config;
