/** How the console looks and starts: fonts of its own, a small start, a first paint that waits for no data. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { demo, fillDemo } from './demo.ts';

const sandbox = useSandbox();
const browser = useBrowser();

beforeAll(() => fillDemo(sandbox));

test('what every page loads is below 60 kB, compressed', () => {
  const page = readFileSync('dist/console/index.html', 'utf8');
  const files = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(1);
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(`dist/console/${file}`)).length, 0);
  expect(bytes).toBeLessThan(60_000);
});

describe.skipIf(noBrowser)('the page', () => {
  test('uses its own fonts, which it loads early', async () => {
    const page = await browser.open(sandbox.url(), '/connect');
    const fonts = '(async () => [...(await document.fonts.ready)].map(({ family, status }) => [family, status]))()';
    await expect
      .poll(() => page.evaluate(fonts))
      .toEqual([
        ['Inter Variable', 'loaded'],
        ['JetBrains Mono Variable', 'loaded'],
      ]);
    expect(await page.locator('link[rel="preload"][as="font"]').count()).toBe(2);
    expect(await page.evaluate('getComputedStyle(document.body).fontSize')).toBe('13px');
  });

  test('is shown before any data, font or event has arrived', async () => {
    const page = await browser.open(sandbox.url(), '/connect');
    await page.route(/woff2|\/_sandbox\/(?!assets|#|$)/, () => undefined);
    await page.reload({ waitUntil: 'commit' });
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Requests' }).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Connect' }).waitFor();
    await page.getByRole('status').getByText('connecting').waitFor();
  });

  test('says when a screen cannot be loaded, and loads it again', async () => {
    const page = await browser.open(sandbox.url(), '/connect');
    await page.route('**/assets/callbacks-*.js', (route) => route.abort());
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Callbacks' }).click();
    await page.getByText('This screen could not be loaded').waitFor();
    expect(await page.locator('.notices .note').count()).toBe(0);
    await page.unroute('**/assets/callbacks-*.js');
    await page.getByRole('button', { name: 'Load again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Callbacks' }).waitFor();
  });

  test('shows a link under the pointer in another color than the selected one', async () => {
    for (const theme of ['light', 'dark'] as const) {
      const page = await browser.open(sandbox.url(), `/connect?project=${demo}`, { theme });
      const links = page.getByRole('navigation', { name: 'Screens' });
      await links.getByRole('link', { name: 'Records' }).hover();
      const colors = () => Promise.all(['Records', 'Connect', 'Map'].map((name) => groundOf(page, name)));
      await expect.poll(async () => new Set(await colors()).size).toBe(3);
    }
  });
});

const groundOf = (page: Page, title: string): Promise<unknown> =>
  page.evaluate(
    `getComputedStyle([...document.querySelectorAll('nav.screens a')].find((one) => one.textContent.includes('${title}'))).backgroundColor`,
  );
