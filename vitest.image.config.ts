import { defineConfig } from 'vitest/config';

/** The image, built and started: apart from the others, since it takes root, a minute, and mounts of its own (run.sh). */
const config: ReturnType<typeof defineConfig> = defineConfig({
  test: {
    include: ['test/image/*.test.ts'],
    globalSetup: ['test/image/setup.ts'],
    reporters: ['verbose'],
    testTimeout: 30_000,
  },
});

export default config;
