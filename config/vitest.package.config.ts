import { defineConfig } from 'vitest/config';
import { yamlPlugin } from './yaml-plugin.ts';

/**
 * Tests the packed package, generated clients, importers and recipes. Separate: needs a build, the package registry and
 * minutes. `--mode short` is the packed package alone.
 */
const config: ReturnType<typeof defineConfig> = defineConfig(({ mode }) => ({
  plugins: [yamlPlugin()],
  test: {
    include: [
      'test/package/package.test.ts',
      ...(mode === 'short' ? [] : ['test/package/{recipes,importers,specmatic}.test.ts', 'test/clients/*.test.ts']),
    ],
    reporters: ['default'],
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
}));

export default config;
