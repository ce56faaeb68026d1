import { defineConfig } from 'vitest/config';
import { createClosingLine } from '../test/closing-line.ts';
import { yamlPlugin } from './yaml-plugin.ts';

/** Tests the console in Chromium. Separate: needs a build, a browser and several minutes. */
const config: ReturnType<typeof defineConfig> = defineConfig({
  plugins: [yamlPlugin()],
  test: {
    include: ['test/browser/*.test.ts'],
    exclude: ['test/browser/screenshots.test.ts'],
    reporters: ['default', createClosingLine()],
    testTimeout: 30_000,
    // A browser starts slowly while others do.
    hookTimeout: 60_000,
    // A process per file would load all modules again, and compile all validators.
    isolate: false,
    maxWorkers: '100%',
    // Pages render slowly while all test files run at once.
    expect: { poll: { timeout: 10_000 } },
  },
});

export default config;
