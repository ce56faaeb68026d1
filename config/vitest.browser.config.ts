import { defineConfig } from 'vitest/config';
import { createClosingLine } from '../test/closing-line.ts';
import { yamlPlugin } from './yaml-plugin.ts';

/** What `npm run check` runs: the screens that people use most, the login, and what protects the console. */
const daily = 'callbacks,frame,live,login,palette,quality,records,request,scenarios,security';

/** Tests the console in Chromium. Separate: needs a build, a browser and several minutes. `--mode short` is `daily`. */
const config: ReturnType<typeof defineConfig> = defineConfig(({ mode }) => ({
  plugins: [yamlPlugin()],
  test: {
    include: [mode === 'short' ? `test/browser/{${daily}}.test.ts` : 'test/browser/*.test.ts'],
    exclude: ['test/browser/screenshots.test.ts'],
    reporters: ['default', createClosingLine()],
    globalSetup: 'test/harness/temporary-folder.ts',
    testTimeout: 30_000,
    // A browser starts slowly while others do.
    hookTimeout: 60_000,
    // A process per file would load all modules again, and compile all validators.
    isolate: false,
    maxWorkers: '100%',
    // Pages render slowly while all test files run at once.
    expect: { poll: { timeout: 10_000 } },
  },
}));

export default config;
