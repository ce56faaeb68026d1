import { defineConfig } from 'vitest/config';
import { yamlPlugin } from './yaml-plugin.ts';

/** Makes the pictures of the console that the README shows. */
const config: ReturnType<typeof defineConfig> = defineConfig({
  plugins: [yamlPlugin()],
  test: { include: ['test/console/screenshots.test.ts'], testTimeout: 60_000 },
});

export default config;
