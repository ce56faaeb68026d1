import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin, type UserConfig } from 'vite';

/** Licences that `license` below does not find: only style sheets name the fonts, and the icons are a copy. */
const licences = {
  'fonts/inter-LICENSE.txt': 'node_modules/@fontsource-variable/inter/LICENSE',
  'fonts/jetbrains-mono-LICENSE.txt': 'node_modules/@fontsource-variable/jetbrains-mono/LICENSE',
  'icons-LICENSE.txt': 'src/console/parts/icon-shapes.LICENSE.txt',
};

/** Copies these licences. */
const notices: Plugin = {
  name: 'notices',
  generateBundle() {
    for (const [fileName, file] of Object.entries(licences)) {
      this.emitFile({ type: 'asset', fileName, source: readFileSync(file, 'utf8') });
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
          groups: [
            {
              name: 'shared',
              // The editor is loaded with the screen that has one.
              test: /src\/console\/(parts\/(?!code)|.*\.css$)|node_modules\/(preact|@preact)/,
            },
          ],
        },
      },
    },
  },
});

export default config;
