import { defineConfig } from 'vitest/config';
import { yamlPlugin } from './yaml-plugin.ts';

/** For `npm run mutate`: loads modules once for all files; short timeouts end a mutation that never terminates. */
const config: ReturnType<typeof defineConfig> = defineConfig({
  plugins: [yamlPlugin()],
  test: {
    include: ['test/{callbacks,downstream,flows,operations,scenarios,security}/**/*.test.ts'],
    setupFiles: ['test/mutation/forget-tests.mjs'],
    isolate: false,
    testTimeout: 5_000,
    hookTimeout: 5_000,
  },
});

export default config;
