import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin, type UserConfig } from 'vite';

/** Fonts are not part of `license` below, because only style sheets name them. */
const fonts = ['inter', 'jetbrains-mono'];

/** Copies the licences of the fonts. */
const notices: Plugin = {
  name: 'notices',
  generateBundle() {
    for (const font of fonts) {
      const source = readFileSync(`node_modules/@fontsource-variable/${font}/LICENSE`, 'utf8');
      this.emitFile({ type: 'asset', fileName: `fonts/${font}-LICENSE.txt`, source });
    }
  },
};

/** Builds the console as static files, which the server serves under /_sandbox/. */
const config: UserConfig = defineConfig({
  root: 'src/console',
  base: './',
  plugins: [notices],
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Includes the licences of all bundled packages.
    license: { fileName: 'LICENSES.md' },
    // Code that several screens share is one file: many small files compress worse, and each needs a request.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: 'shared', test: /src\/console\/(parts|data|theme)\/|node_modules\/(lit|@lit)/ }],
        },
      },
    },
  },
});

export default config;
