import { defineConfig, type UserConfig } from 'vite';

/** The console as static files; the server serves them under /_sandbox/. */
const config: UserConfig = defineConfig({
  root: 'src/console',
  base: './',
  build: { outDir: '../../dist/console', emptyOutDir: true, modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
});

export default config;
