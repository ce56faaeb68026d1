/** Takes the screenshots for the docs: `npm run screenshots`. */
import { mkdirSync, statSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { sample } from '../sweep-report/sample.ts';
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

type Prepare = (page: Page) => Promise<unknown>;

async function picture(
  name: string,
  query = '',
  theme: 'light' | 'dark' = 'light',
  prepare: Prepare = async () => undefined,
): Promise<void> {
  const [screen] = name.split('-');
  const route = `/${screen}?project=${demo}${query}`;
  const page = await browser.open(sandbox.url(), route, { width: 1040, height: 650, theme });
  await page.waitForLoadState('networkidle');
  await prepare(page);
  const path = `${folder}/${name}.png`;
  await page.screenshot({ path });
  expect(statSync(path).size).toBeLessThan(maxBytes);
}

describe.skipIf(noBrowser)('pictures', () => {
  test.each(screenNames.filter((name) => name !== 'sweep'))('%s', (name) => picture(name));

  test('a sweep', () =>
    picture('sweep', '', 'light', async (page) => {
      const file = { name: 'sweep.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(sample)) };
      await page.getByLabel('JSON file of a sweep').setInputFiles(file);
      await page.getByRole('region', { name: 'Failures by operation' }).waitFor();
    }));

  test('a request with an error', async () => {
    const items = await sandbox.items(demo, 'requests');
    const { id } = items.find(({ operation }) => operation === 'asyncImportJobs') as { id: string };
    await picture('live-request', `&request=${id}`, 'dark');
  });
});
