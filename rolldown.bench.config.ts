import { defineConfig } from 'rolldown';
import { yamlPlugin } from './yaml-plugin.ts';

/** The benchmark and the soak test, built as the server is: Node 20 runs no TypeScript. */
const config: ReturnType<typeof defineConfig> = defineConfig({
  input: {
    bench: 'test/bench/bench.ts',
    floor: 'test/bench/floor.ts',
    'kit-start': 'test/bench/kit-start.ts',
    soak: 'test/soak/soak.ts',
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
