/** A sandbox is restarted while its console is open: the page shows it, and reconnects automatically. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { RunningSandbox } from '../../src/server.ts';
import { useBrowser } from '../harness/browser.ts';
import { startOne } from '../harness/start-sandbox.ts';
import {
  connection,
  createGate,
  heading,
  inBrowser,
  main,
  mainScreens,
  notices,
  requestDetail,
  rowLinks,
  screens,
  visibleTextsOf,
} from './page.ts';

const browser = useBrowser();
const project = 'p';
/** The browser waits some seconds before it asks again. */
const backoff = { timeout: 15_000 };

async function importOrders(sandbox: RunningSandbox, ...ids: readonly string[]): Promise<string> {
  const response = await fetch(`${sandbox.url}/sync/projects/${project}/orders`, {
    method: 'POST',
    headers: { apikey: 'sandbox-key', 'content-type': 'application/json' },
    body: JSON.stringify({ orders: ids.map((id) => ({ id })) }),
  });
  expect(response.status).toBe(200);
  return response.headers.get('x-request-id') ?? '';
}

const rows = (page: Page) => rowLinks(page, 'Requests');
/** Waits until the page has drawn what it knows, such as the failure of a request. */
const drawn = (page: Page) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
const idsIn = async (page: Page) => {
  const links = await rows(page).all();
  const addresses = await Promise.all(links.map((link) => link.getAttribute('href')));
  return addresses.map((address) => new URLSearchParams(address?.split('?')[1]).get('request'));
};

inBrowser(
  'a lost connection is shown once, and a restarted sandbox with only new data',
  { timeout: 60_000 },
  async () => {
    const before = await startOne();
    for (const id of ['O-1', 'O-2', 'O-3']) await importOrders(before, id);
    const live = await browser.open(before.url, `/live?project=${project}`);
    const records = await browser.open(before.url, `/records?project=${project}&collection=orders`);
    await expect.poll(() => rows(live).count()).toBe(3);
    await records.getByRole('link', { name: 'O-3', exact: true }).waitFor();
    // The palette is loaded while the sandbox runs.
    await live.keyboard.press('Control+k');
    await live.getByRole('combobox', { name: 'Search or run a command' }).waitFor();
    await live.keyboard.press('Escape');
    await before.close();
    // One banner says it, and the loaded data stays visible.
    for (const page of [live, records]) {
      await connection(page, 'disconnected').waitFor();
      await page.getByRole('alert').getByText('Disconnected. Reconnecting…').waitFor();
    }
    expect(await rows(live).count()).toBe(3);
    // An action that fails twice shows one notice.
    let failures = 0;
    live.on('requestfailed', (request) => {
      if (request.method() === 'PUT') failures += 1;
    });
    for (const _time of [1, 2]) {
      await live.keyboard.press('Control+k');
      await live.getByRole('combobox', { name: 'Search or run a command' }).fill('freeze');
      await live.keyboard.press('Enter');
      // Enter waits for the search, which fails.
      await live.getByRole('dialog', { name: 'Commands' }).waitFor({ state: 'detached' });
    }
    await expect.poll(() => failures).toBe(2);
    await notices(live).getByText('no response from the sandbox').waitFor();
    await drawn(live);
    expect(await notices(live).getByRole('paragraph').count()).toBe(1);

    const after = await startOne({ port: new URL(before.url).port, seed: 'after' });
    const first = await importOrders(after, 'N-1');
    await expect.poll(() => idsIn(live), backoff).toEqual([first]);
    await records.getByRole('link', { name: 'N-1', exact: true }).waitFor(backoff);
    expect(await records.getByRole('link', { name: /^O-/ }).count()).toBe(0);
    const second = await importOrders(after, 'N-2');
    await expect.poll(() => idsIn(live)).toEqual([second, first]);
    await rows(live).first().click();
    await requestDetail(live).getByRole('link', { name: 'Request', exact: true }).click();
    await requestDetail(live).getByText('"N-2"').first().waitFor();
  },
);

inBrowser(
  'every screen that is opened meanwhile shows that it waits',
  async () => {
    const before = await startOne();
    await importOrders(before, 'O-1');
    const page = await browser.open(before.url, `/connect?project=${project}`);
    const show = (screen: string) => page.goto(`${before.url}/_sandbox/#/${screen}?project=${project}`);
    // Only the code of the map is not loaded.
    for (const name of mainScreens) {
      await show(name);
      await heading(page, screens[name]).waitFor();
      await browser.settle(page);
    }
    await connection(page, 'live').waitFor();
    await before.close();
    await page.getByRole('alert').getByText('Disconnected. Reconnecting…').waitFor();

    for (const name of mainScreens) {
      await show(name);
      await heading(page, screens[name]).waitFor();
      await drawn(page);
      const shown = (await visibleTextsOf(main(page))).join().replace('Disconnected. Reconnecting…', '');
      expect(shown.trim(), name).not.toBe(screens[name]);
      expect(await page.getByRole('alert').allTextContents(), name).toEqual(['Disconnected. Reconnecting…']);
      expect(await notices(page).getByRole('paragraph').count(), name).toBe(0);
      expect(await main(page).getByRole('heading', { name: /^No / }).allTextContents(), name).toEqual([]);
    }
    await show('map');
    await page.getByText('This screen could not be loaded').waitFor();
    await page.getByRole('button', { name: 'Load again' }).waitFor();
    await startOne({ port: new URL(before.url).port, seed: 'after' });
    // The code is tried again without a click.
    await connection(page, 'live').waitFor(backoff);
    await heading(page, screens.map).waitFor();
  },
  60_000,
);

inBrowser('a page follows the events again that was hidden when they could not be loaded', async () => {
  const sandbox = await startOne();
  const page = await browser.open(sandbox.url, `/live?project=${project}`);
  const setHidden = (isHidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  const gate = createGate();
  const stream = '**/_sandbox/events*';
  await page.route(stream, async (route) => {
    await gate.passed;
    await route.fulfill({ status: 502 });
  });
  await page.clock.install();
  const sent = page.waitForRequest(stream);
  await page.reload();
  await sent;
  await setHidden(true);
  gate.open();
  await connection(page, 'disconnected').waitFor();
  await page.unroute(stream);
  await setHidden(false);
  await connection(page, 'live').waitFor();
  // A page that stays hidden disconnects by then.
  await page.clock.fastForward('00:06');
  await importOrders(sandbox, 'O-1');
  await expect.poll(() => rows(page).count()).toBe(1);
});
