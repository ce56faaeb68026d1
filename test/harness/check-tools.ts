/** The packages of `tools/` that tests run. Only `npm run check` needs them, so a plain `npm ci` does not install them. */
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(path.resolve('tools/package.json'));

type Playwright = typeof import('playwright-core');

export const chromium: Playwright['chromium'] = require('playwright-core').chromium;
export const axe: typeof import('axe-core') = require('axe-core');
