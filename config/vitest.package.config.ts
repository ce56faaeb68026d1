import { defineConfig } from 'vitest/config';
import { yamlPlugin } from './yaml-plugin.ts';

/** Tests the packed package and generated clients. Separate: needs a build, the package registry and a minute. */
const config: ReturnType<typeof defineConfig> = defineConfig({
  plugins: [yamlPlugin()],
  test: {
    include: ['test/package/{package,recipes,importers,specmatic}.test.ts', 'test/clients/*.test.ts'],
    reporters: ['default'],
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
});

export default config;
