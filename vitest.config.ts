import { defineConfig } from 'vitest/config';
import { createClosingLine } from './test/closing-line.ts';
import { yamlPlugin } from './yaml-plugin.ts';

const config: ReturnType<typeof defineConfig> = defineConfig({
  plugins: [yamlPlugin()],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      'test/chaos/*.test.ts',
      'test/package/{package,recipes,importers}.test.ts',
      'test/image/*.test.ts',
      'test/clients/*.test.ts',
      'test/console/screenshots.test.ts',
    ],
    reporters: ['default', createClosingLine()],
    testTimeout: 30_000,
    // Otherwise one core is left idle, which is half of a machine of two.
    maxWorkers: '100%',
    // Where all files run at once, what a page shows may take its time.
    expect: { poll: { timeout: 10_000 } },
    coverage: {
      provider: 'v8',
      include: ['src/**'], // What runs in a browser is not seen here.
      exclude: ['src/**/*.gen.ts', 'src/**/*.d.ts', 'src/console/**'],
    },
  },
});

export default config;
