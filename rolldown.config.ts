import { defineConfig, type Plugin } from 'rolldown';
import { packagePlugin } from './package-plugin.ts';
import { yamlPlugin } from './yaml-plugin.ts';

/**
 * The server in a few pieces: what every start needs is inlined, since resolving and reading hundreds of small modules
 * costs more than running them. What only some runs need stays a package, imported where it is first used. What tests
 * import (src/index.ts) shares its pieces.
 */
const importedWhenNeeded = [
  /^@faker-js\/faker/,
  'jsonc-parser',
  're2js',
  'selfsigned',
  'standardwebhooks',
  'undici',
  'yaml',
  /^zod/,
];

/** What openapi-backend loads for parts of it that nothing here uses: it would be a tenth of a start. */
const neverUsed = [
  '@apidevtools/json-schema-ref-parser',
  'dereference-json-schema',
  'mock-json-schema',
  'openapi-schema-validator',
];

/** It binds three functions of one of them when it is loaded. */
const refusing = `const refuse = () => { throw new Error('left out by rolldown.config.ts'); };
export default { dereference: refuse, parse: refuse, resolve: refuse };`;

const nothing: Plugin = {
  name: 'nothing',
  resolveId: (id) => (neverUsed.includes(id) ? '\0nothing' : undefined),
  load: (id) => (id === '\0nothing' ? refusing : undefined),
};

const config: ReturnType<typeof defineConfig> = defineConfig({
  input: { main: 'src/main.ts', index: 'src/index.ts', 'code-cache': 'src/code-cache.ts' },
  platform: 'node',
  external: [/^node:/, ...importedWhenNeeded],
  plugins: [nothing, yamlPlugin(), packagePlugin()],
  output: {
    dir: 'dist',
    format: 'cjs',
    // What the code cache runs may not use `import()` on Node 20.
    dynamicImportInCjs: false,
    // Half of what is bundled would be the comments of packages.
    comments: { jsdoc: false },
    cleanDir: true,
    entryFileNames: ({ name }) => (name === 'code-cache' ? '[name].js' : '[name]-[hash].js'),
    chunkFileNames: '[name]-[hash].js',
  },
});

export default config;
