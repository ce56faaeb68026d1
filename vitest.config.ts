import { defineConfig } from 'vitest/config';
import { yamlPlugin } from './yaml-plugin.ts';

const config: ReturnType<typeof defineConfig> = defineConfig({
  plugins: [yamlPlugin()],
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    coverage: { provider: 'v8', include: ['src/**'], exclude: ['src/**/*.gen.ts', 'src/**/*.d.ts'] },
  },
});

export default config;
