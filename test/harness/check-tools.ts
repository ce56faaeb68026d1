/** The packages of `tools/` that tests run. Only `npm run check` needs them, so a plain `npm ci` does not install them. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(path.resolve('tools/package.json'));

type Playwright = typeof import('playwright-core');

export const chromium: Playwright['chromium'] = require('playwright-core').chromium;
export const axe: typeof import('axe-core') = require('axe-core');

/** Chromium on Debian and other systems, where there is one. */
export const chromiumPath: string | undefined = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find((file) => existsSync(file));
