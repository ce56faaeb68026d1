import { defineConfig } from 'vitest/config';
import { createClosingLine } from './test/closing-line.ts';
import { yamlPlugin } from './yaml-plugin.ts';

const config: ReturnType<typeof defineConfig> = defineConfig({
  plugins: [yamlPlugin()],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/package/package.test.ts'],
    reporters: ['default', createClosingLine()],
    testTimeout: 30_000,
    coverage: { provider: 'v8', include: ['src/**'], exclude: ['src/**/*.gen.ts', 'src/**/*.d.ts'] },
  },
});

export default config;
