import { defineConfig } from 'vitest/config';
import { yamlPlugin } from './yaml-plugin.ts';

/** For `npm run mutate`: modules are loaded once for all files, and what a change has made endless ends soon. */
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
