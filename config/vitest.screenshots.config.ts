import { defineConfig } from 'vitest/config';
import { yamlPlugin } from './yaml-plugin.ts';

// biome-ignore lint/style/noProcessEnv: vitest has no option for a value of a test
const isGallery = process.env['SCREENSHOTS'] !== undefined;

/** Takes the screenshots of the console: those of the docs, or with SCREENSHOTS=FOLDER those of every screen. */
const config: ReturnType<typeof defineConfig> = defineConfig({
  plugins: [yamlPlugin()],
  test: {
    include: [`test/browser/${isGallery ? 'gallery' : 'screenshots'}.test.ts`],
    testTimeout: 60_000,
  },
});

export default config;
