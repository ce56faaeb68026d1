import { defineConfig } from 'vitest/config';
import { yamlPlugin } from './yaml-plugin.ts';

/** The packed package and generated clients: apart from the others, since they need a build, the registry and a minute. */
const config: ReturnType<typeof defineConfig> = defineConfig({
  plugins: [yamlPlugin()],
  test: {
    include: ['test/package/{package,recipes,importers}.test.ts', 'test/clients/*.test.ts'],
    reporters: ['default'],
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
});

export default config;
