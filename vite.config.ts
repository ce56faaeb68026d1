import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin, type UserConfig } from 'vite';

/** What swagger-ui asks to be handed on beside its licence: its notice, and the licences of what is built into it. */
const notices: Plugin = {
  name: 'notices',
  generateBundle() {
    for (const file of ['NOTICE', 'swagger-ui-es-bundle.js.LICENSE.txt']) {
      const source = readFileSync(`node_modules/swagger-ui-dist/${file}`, 'utf8');
      this.emitFile({ type: 'asset', fileName: `swagger-ui/${file}`, source });
    }
  },
};

/** The console as static files; the server serves them under /_sandbox/. */
const config: UserConfig = defineConfig({
  root: 'src/console',
  base: './',
  plugins: [notices],
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Whoever has the package has the terms of what is built into it.
    license: { fileName: 'LICENSES.md' },
    // Loaded when the reference is opened, and whole then.
    chunkSizeWarningLimit: 1600,
    // What several screens share is one file: many small ones compress worse, and each has to be asked for.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: 'shared', test: /src\/console\/(parts|data)\/|node_modules\/(lit|@lit)/ }] },
      },
    },
  },
});

export default config;
