import { defineConfig } from 'vitest/config';
import { createClosingLine } from '../test/closing-line.ts';
import { createLeftOutReporter } from '../test/replicas/left-out-reporter.ts';
import { yamlPlugin } from './yaml-plugin.ts';

/** Runs the stories of test/flows/ against three replicas behind a load balancer. Separate: needs PostgreSQL. */
const config: ReturnType<typeof defineConfig> = defineConfig({
  plugins: [yamlPlugin()],
  test: {
    include: ['test/{flows,replicas}/**/*.test.ts'],
    globalSetup: 'test/replicas/setup.ts',
    setupFiles: 'test/harness/setup.ts',
    runner: 'test/replicas/runner.ts',
    reporters: ['default', createLeftOutReporter(), createClosingLine()],
    // A request takes longer by a commit and a hop, and three replicas share the processor.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    isolate: false,
    // Node 20 never ends a thread in which a connection was broken at the wrong moment.
    pool: 'forks',
    maxWorkers: 3,
  },
});

export default config;
