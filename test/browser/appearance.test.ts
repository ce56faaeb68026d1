/** How the console looks and starts: fonts of its own, a small start, a first paint that waits for no data. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { backgroundsOf, connection, heading, navigation, notices } from './page.ts';

const sandbox = useSandbox();
const browser = useBrowser();

test('what every page loads is below 60 kB, compressed', () => {
  const page = readFileSync('dist/console/index.html', 'utf8');
  const files = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(1);
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(`dist/console/${file}`)).length, 0);
  expect(bytes).toBeLessThan(60_000);
});

describe.skipIf(noBrowser)('the page', () => {
  test('uses its own fonts', async () => {
    const page = await browser.open(sandbox.url(), '/connect');
    const fonts = '(async () => [...(await document.fonts.ready)].map(({ family, status }) => [family, status]))()';
    await expect
      .poll(() => page.evaluate(fonts))
      .toEqual([
        ['Inter Variable', 'loaded'],
        ['JetBrains Mono Variable', 'loaded'],
      ]);
  });

  test('is shown before any data, font or event has arrived', async () => {
    const page = await browser.open(sandbox.url(), '/connect');
    await page.route(/woff2|\/_sandbox\/(?!assets|#|$)/, () => undefined);
    await page.reload({ waitUntil: 'commit' });
    await navigation(page).getByRole('link', { name: 'Requests' }).waitFor();
    await heading(page, 'Connect').waitFor();
    await connection(page, 'connecting').waitFor();
  });

  test('says when a screen cannot be loaded, and loads it again', async () => {
    const page = await browser.open(sandbox.url(), '/connect');
    await page.route('**/assets/callbacks-*.js', (route) => route.abort());
    await navigation(page).getByRole('link', { name: 'Callbacks' }).click();
    await page.getByText('This screen could not be loaded').waitFor();
    expect(await notices(page).getByRole('paragraph').count()).toBe(0);
    await page.unroute('**/assets/callbacks-*.js');
    await page.getByRole('button', { name: 'Load again' }).click();
    await heading(page, 'Callbacks').waitFor();
  });

  test('shows a link under the pointer in another color than the selected one', async () => {
    const page = await browser.open(sandbox.url(), '/connect');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await navigation(page).getByRole('link', { name: 'Records' }).hover();
      const colors = () => backgroundsOf(navigation(page).getByRole('link'));
      // That of the others, of the selected one, and of the one under the pointer.
      await expect.poll(async () => new Set(await colors()).size).toBe(3);
    }
  });
});
