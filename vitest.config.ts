import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { yamlPlugin } from './config/yaml-plugin.ts';
import { createClosingLine } from './test/closing-line.ts';

/** Not in `npm test`: they start a program for each command of a page, or test 10,000 projects or rules. */
const long = [
  'test/docs/{start,guides,reference,operating,contributing}.test.ts',
  'test/flows/recipes/*.test.ts',
  'test/flows/projects/many-projects.test.ts',
  'test/**/*.long.test.ts',
];

/** The tests that do more runs, or use another seed, with `--mode full`. */
function findRandom(): readonly string[] {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  const paths = files.map((file) => path.join('test', file));
  return paths.filter((file) => /\/harness\/amounts\.ts|fc\.assert\(/.test(readFileSync(file, 'utf8')));
}

/**
 * `npm test`. With `--mode long`, only the files that it leaves out. With `--mode full`, also the random ones, which do all
 * their runs then; test/harness/amounts.ts has the numbers.
 */
const config: ReturnType<typeof defineConfig> = defineConfig(({ mode }) => ({
  plugins: [yamlPlugin()],
  test: {
    include: mode === 'long' ? long : mode === 'full' ? [...long, ...findRandom()] : ['test/**/*.test.ts'],
    exclude: [
      'test/chaos/**/*.test.ts',
      'test/cluster/**/*.test.ts',
      'test/replicas/*.test.ts',
      'test/package/{package,recipes,importers,specmatic}.test.ts',
      'test/image/*.test.ts',
      'test/clients/*.test.ts',
      'test/browser/*.test.ts',
      ...(mode === 'long' || mode === 'full' ? [] : long),
    ],
    reporters: ['default', createClosingLine()],
    testTimeout: 30_000,
    // Hooks start sandboxes and tell stories, as tests do.
    hookTimeout: 30_000,
    // A poll waits for what must happen: only the timeout of its test limits it, not a second as by default.
    expect: { poll: { timeout: 30_000 } },
    // A process per file would load all modules again, and compile all validators, for each of 250 files.
    isolate: false,
    setupFiles: 'test/harness/setup.ts',
    pool: 'threads',
    // More than most machines have cores, since some tests wait. Each more would load and compile everything once more.
    maxWorkers: 3,
    coverage: {
      // @vitest/coverage-v8, which tools/ has.
      provider: 'custom',
      customProviderModule: './tools/node_modules/@vitest/coverage-v8/dist/index.js',
      include: ['src/**'], // Code that runs in a browser is not measured.
      exclude: ['src/**/*.gen.ts', 'src/**/*.d.ts', 'src/console/**'],
    },
  },
}));

export default config;
