import { defineConfig, type Plugin } from 'rolldown';
import { packagePlugin } from './package-plugin.ts';
import { yamlPlugin } from './yaml-plugin.ts';

/**
 * Builds the server as a few chunks. Modules that every start needs are bundled, because resolving and reading hundreds
 * of small modules costs more than running them. Packages that only some commands need stay external. Packages that a
 * running server loads at their first use must be bundled: Node's resolver caches a failed read, so a temporary lack of
 * file descriptors would become permanent. The code cache tries again. The test kit (src/index.ts) shares the chunks.
 */
const externalPackages = [/^@faker-js\/faker/, 'selfsigned'];

/**
 * Packages that openapi-backend and Express load for features not used here. Those of openapi-backend would take a tenth
 * of the start time. Express's parser of bodies brings tables of character sets, which are half a megabyte.
 */
const unusedPackages = [
  '@apidevtools/json-schema-ref-parser',
  'body-parser',
  'dereference-json-schema',
  'mock-json-schema',
  'openapi-schema-validator',
];

/** Replaces the unused packages. openapi-backend binds three functions of one of them when it loads. */
const stub = `const refuse = () => { throw new Error('left out by config/rolldown.config.ts'); };
export default { dereference: refuse, parse: refuse, resolve: refuse };`;

const stubPlugin: Plugin = {
  name: 'nothing',
  resolveId: (id) => (unusedPackages.includes(id) ? '\0nothing' : undefined),
  load: (id) => (id === '\0nothing' ? stub : undefined),
};

const config: ReturnType<typeof defineConfig> = defineConfig({
  input: { main: 'src/cli/main.ts', index: 'src/index.ts', 'code-cache': 'src/cli/process/code-cache.ts' },
  platform: 'node',
  external: [/^node:/, ...externalPackages],
  // The UMD build of jsonc-parser calls `require` inside a function, where bundlers do not find it.
  resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
  plugins: [stubPlugin, yamlPlugin(), packagePlugin()],
  output: {
    dir: 'dist',
    format: 'cjs',
    // Code from the code cache can't use `import()` on Node 20.
    dynamicImportInCjs: false,
    // Comments of packages would be half of the bundle.
    comments: { jsdoc: false },
    cleanDir: true,
    entryFileNames: ({ name }) => (name === 'code-cache' ? '[name].js' : '[name]-[hash].js'),
    chunkFileNames: '[name]-[hash].js',
  },
});

export default config;
