/** Takes the screenshots for the docs: `npm run screenshots`. */
import { mkdirSync, statSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { demo, fillDemo } from './demo.ts';
import { screenNames } from './screen-names.ts';

const folder = 'docs/screenshots';
/** The screenshots are part of the repository, so they must be small. */
const maxBytes = 160_000;

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const browser = useBrowser();

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  await fillDemo(sandbox);
});

async function picture(name: string, query = '', theme: 'light' | 'dark' = 'light'): Promise<void> {
  const [screen] = name.split('-');
  const route = `/${screen}?project=${demo}${query}`;
  const page = await browser.open(sandbox.url(), route, { width: 1040, height: 650, theme });
  await page.waitForLoadState('networkidle');
  const path = `${folder}/${name}.png`;
  await page.screenshot({ path });
  expect(statSync(path).size).toBeLessThan(maxBytes);
}

describe.skipIf(noBrowser)('pictures', () => {
  test.each(screenNames)('%s', (name) => picture(name));

  test('a request with an error', async () => {
    const items = await sandbox.items(demo, 'requests');
    const { id } = items.find(({ operation }) => operation === 'asyncImportJobs') as { id: string };
    await picture('live-request', `&request=${id}`, 'dark');
  });
});
