import { chmodSync } from 'node:fs';
import { defineConfig, type Plugin } from 'rolldown';
import { kitPlugin } from './kit-plugin.ts';
import { yamlPlugin } from './yaml-plugin.ts';

/**
 * The server as one file: what every start needs is inlined, since resolving and reading hundreds of small modules
 * costs more than running them. What only some runs need stays a package, imported where it is first used. What tests
 * import (src/index.ts) shares its pieces.
 */
const importedWhenNeeded = [
  /^@faker-js\/faker/,
  'jsonc-parser',
  /^pino/,
  're2js',
  'selfsigned',
  'standardwebhooks',
  'undici',
  'yaml',
  /^zod/,
];

/** npm marks the command executable when it installs it; each build writes it anew. */
const executable: Plugin = { name: 'executable', writeBundle: ({ dir }) => chmodSync(`${dir}/main.js`, 0o755) };

const config: ReturnType<typeof defineConfig> = defineConfig({
  input: { main: 'src/main.ts', index: 'src/index.ts' },
  platform: 'node',
  external: [/^node:/, ...importedWhenNeeded],
  plugins: [yamlPlugin(), executable, kitPlugin()],
  output: { dir: 'dist', format: 'esm', cleanDir: true, chunkFileNames: '[name].js' },
});

export default config;
