import { defineConfig } from 'vitest/config';
import { yamlPlugin } from './config/yaml-plugin.ts';
import { createClosingLine } from './test/closing-line.ts';

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
    // The default leaves one core idle, which is half of a machine with two cores.
    maxWorkers: '100%',
    // Pages render slowly while all test files run at once.
    expect: { poll: { timeout: 10_000 } },
    coverage: {
      provider: 'v8',
      include: ['src/**'], // Code that runs in a browser is not measured.
      exclude: ['src/**/*.gen.ts', 'src/**/*.d.ts', 'src/console/**'],
    },
  },
});

export default config;
