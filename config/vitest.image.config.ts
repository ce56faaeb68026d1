import { defineConfig } from 'vitest/config';

/** Builds and starts the image. Separate from the other tests: needs root, a minute, and separate mounts (run.sh). */
const config: ReturnType<typeof defineConfig> = defineConfig({
  test: {
    include: ['test/image/*.test.ts'],
    globalSetup: ['test/image/setup.ts'],
    reporters: ['verbose'],
    testTimeout: 30_000,
  },
});

export default config;
