import { defineConfig } from 'rolldown';
import { yamlPlugin } from './yaml-plugin.ts';

/** Builds the benchmark, the soak test and the fuzz test like the server, because Node 20 does not run TypeScript. */
const config: ReturnType<typeof defineConfig> = defineConfig({
  input: {
    bench: 'test/bench/bench.ts',
    console: 'test/bench/console/console.ts',
    floor: 'test/bench/floor.ts',
    'kit-start': 'test/bench/kit-start.ts',
    greedy: 'test/bench/greedy.ts',
    probe: 'test/bench/holds/probe.ts',
    soak: 'test/soak/soak.ts',
    fuzz: 'test/fuzz/fuzz.ts',
  },
  platform: 'node',
  external: [/^node:/, /^[a-z@]/],
  plugins: [yamlPlugin()],
  output: {
    dir: 'dist/bench',
    format: 'esm',
    cleanDir: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name].mjs',
  },
});

export default config;
