import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { yamlPlugin } from './config/yaml-plugin.ts';
import { createClosingLine } from './test/closing-line.ts';

/** What `npm test` leaves to `--mode more`: files that take seconds of processor time, and seldom notice a mistake alone. */
const more = [
  // A program for each command of a page.
  'test/docs/{start,guides,reference,operating,contributing}.test.ts',
  'test/flows/recipes/*.test.ts',
  // Processes of the built program, which are killed, restarted, or lose their disk or their connection.
  'test/cli/start/*.test.ts',
  'test/cli/listen/{lost,process}.test.ts',
  'test/cli/mcp/*.test.ts',
  'test/cli/golden/long-files.test.ts',
  'test/cli/prove/*.test.ts',
  'test/cli/run/record.test.ts',
  'test/test-kit/installed{,-recipes}.test.ts',
  // Generated bodies, samples of all locales, all examples and schemas of the served documents.
  'test/properties/*.test.ts',
  'test/samples/**/*.test.ts',
  'test/openapi/{described,document}.test.ts',
  'test/flows/requests/documented-{examples,responses}.test.ts',
  // Counts with the profiler that measures coverage.
  'test/flows/requests/work.test.ts',
  // Every kind of failure at three operations, and large amounts.
  'test/flows/scenarios/catalog.test.ts',
  'test/flows/profile/not-shown.test.ts',
  'test/flows/control/{large-responses,long-texts}.test.ts',
  'test/flows/projects/memory.test.ts',
  'test/diagnostics/yaml-file.test.ts',
];

/** Only with `--mode full`: minutes, such as a test of 10,000 projects or of every case of a sweep. */
const long = ['test/flows/projects/many-projects.test.ts', 'test/**/*.long.test.ts'];

/** The tests that do more runs, or use another seed, with `--mode full`. */
function findRandom(): readonly string[] {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  const paths = files.map((file) => path.join('test', file));
  return paths.filter((file) => /\/harness\/amounts\.ts|fc\.assert\(/.test(readFileSync(file, 'utf8')));
}

/** Files that play many texts. They take the longest, but are short, and vitest starts with the largest files. */
const playing = /\/(?:transcripts|golden)\.test\.ts$/;

class PlayingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => Number(playing.test(other.moduleId)) - Number(playing.test(one.moduleId)));
  }
}

const included: Readonly<Record<string, readonly string[]>> = { more, full: [...more, ...long, ...findRandom()] };

/**
 * `npm test`. With `--mode more`, the files that it leaves to `npm run check`. With `--mode full`, also those that take
 * minutes, and the random ones, which do all their runs then; test/harness/amounts.ts has the numbers.
 */
const config: ReturnType<typeof defineConfig> = defineConfig(({ mode }) => ({
  plugins: [yamlPlugin()],
  test: {
    include: [...(included[mode] ?? ['test/**/*.test.ts'])],
    exclude: [
      'test/chaos/**/*.test.ts',
      'test/cluster/**/*.test.ts',
      'test/replicas/*.test.ts',
      'test/package/{package,recipes,importers,specmatic}.test.ts',
      'test/image/*.test.ts',
      'test/clients/*.test.ts',
      'test/browser/*.test.ts',
      ...(mode === 'full' ? [] : long),
      ...(included[mode] ? [] : more),
    ],
    reporters: ['default', createClosingLine()],
    // Only a test that hangs needs as long. Where a machine has five times more work than cores, the longest take 30 s.
    testTimeout: 120_000,
    // Hooks start sandboxes and tell stories, as tests do.
    hookTimeout: 120_000,
    // A poll waits for what must happen: only the timeout of its test limits it, not a second as by default.
    expect: { poll: { timeout: 120_000 } },
    // A process per file would load all modules again, and compile all validators, for each of 250 files.
    isolate: false,
    globalSetup: 'test/harness/temporary-folder.ts',
    setupFiles: 'test/harness/setup.ts',
    pool: 'threads',
    // More than most machines have cores, since some tests wait. Each more would load and compile everything once more.
    maxWorkers: 3,
    // With `--sequence.shuffle`, vitest's own one is random.
    ...(process.argv.includes('--sequence.shuffle') ? {} : { sequence: { sequencer: PlayingFirst } }),
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
