import { defineConfig } from 'vitest/config';

/** The test of the packed package: apart from the others, since it needs a build, the package registry and a minute. */
const config: ReturnType<typeof defineConfig> = defineConfig({
  test: {
    include: ['test/package/{package,recipes,importers}.test.ts'],
    reporters: ['default'],
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
});

export default config;
