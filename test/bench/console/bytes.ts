/** How many bytes each screen of the console loads when it is opened first. */
import type { Browser } from 'playwright-core';
import type { Row } from '../row.ts';
import { addressOf, openPage } from './pages.ts';

const kilobyte = 1000;
const maxKilobytes = 600;
/** A screen has loaded when nothing arrived for this long. */
const quietMs = 1500;
const maxWaitMs = 20_000;

export async function measureBytes(browser: Browser, url: string, requests: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const screen of await listScreens(browser, url)) {
    const { bytes, largest } = await load(browser, addressOf(url, screen));
    const from = `${requests.toLocaleString('en')} requests in the journal; largest: ${largest}`;
    rows.push({
      what: `first open of ${screen}`,
      values: [bytes / kilobyte],
      unit: 'kB',
      goal: { atMost: maxKilobytes },
      from,
    });
  }
  return rows;
}

/** Returns the screens in the navigation. */
async function listScreens(browser: Browser, url: string): Promise<readonly string[]> {
  const { page, close } = await openPage(browser);
  await page.goto(`${url}/_sandbox/`);
  await page.locator('nav a[href^="#/"]').first().waitFor();
  const found = await page.evaluate(
    `[...document.querySelectorAll('nav a[href^="#/"]')].map((one) => one.getAttribute('href'))`,
  );
  await close();
  const names = (found as string[]).map((href) => /^#\/([\w-]+)/.exec(href)?.[1] ?? '');
  return [...new Set(names)].filter((name) => name !== '');
}

/** Opens a page with an empty cache. Returns the bytes that it receives, headers included. */
async function load(browser: Browser, address: string): Promise<{ bytes: number; largest: string }> {
  const { page, session, close } = await openPage(browser);
  const names = new Map<string, string>();
  const sizes = new Map<string, number>();
  let lastAt = performance.now();
  const add = (id: string, bytes: number): void => {
    lastAt = performance.now();
    sizes.set(id, (sizes.get(id) ?? 0) + bytes);
  };
  session.on('Network.requestWillBeSent', ({ requestId, request }) =>
    names.set(requestId, new URL(request.url).pathname),
  );
  // Streams never finish, so that their chunks count; the total of other responses replaces their chunks.
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => add(requestId, encodedDataLength));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    sizes.set(requestId, 0);
    add(requestId, encodedDataLength);
  });
  await session.send('Network.enable');
  const startedAt = performance.now();
  await page.goto(address);
  while (performance.now() - lastAt < quietMs && performance.now() - startedAt < maxWaitMs)
    await page.waitForTimeout(100);
  await close();
  const [top] = [...sizes].sort(([, one], [, other]) => other - one);
  const largest = top ? `${names.get(top[0])?.split('/').at(-1)} ${Math.round(top[1] / kilobyte)} kB` : '';
  return { bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0), largest };
}
