import { defineConfig } from 'vitest/config';
import { yamlPlugin } from './yaml-plugin.ts';

/** Takes the screenshots of the console for the docs. */
const config: ReturnType<typeof defineConfig> = defineConfig({
  plugins: [yamlPlugin()],
  test: {
    include: ['test/browser/screenshots.test.ts'],
    testTimeout: 60_000,
  },
});

export default config;
