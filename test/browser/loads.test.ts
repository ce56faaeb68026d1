/** Loads are slow, fail, or end in another order than they began: the console shows only data of the selection. */
import type { Page } from 'playwright-core';
import { beforeEach, expect } from 'vitest';
import { createGate, inBrowser, processed, rowLinks, show, useConsole } from './page.ts';

const { sandbox, browser, project, freeze, importJobs, advance } = useConsole();

beforeEach(() => freeze());

const open = (route: string) => browser.open(sandbox.url(), route);

/** Holds the response to the first request for a URL. */
async function holdFirst(page: Page, url: RegExp) {
  const [begun, released, answered] = [createGate(), createGate(), createGate()];
  await page.route(
    url,
    async (route) => {
      const response = await route.fetch();
      begun.open();
      await released.passed;
      await route.fulfill({ response });
      answered.open();
    },
    { times: 1 },
  );
  const release = async (): Promise<void> => {
    released.open();
    await answered.passed;
    await processed(page);
  };
  return { begun: begun.passed, release };
}

inBrowser('every list says that it loads, and that nothing is missing only afterwards', async () => {
  const page = await open('/connect');
  for (const screen of ['live?', 'callbacks?', 'records?', 'quality?tab=problems&']) {
    const held = createGate();
    await page.route(/\/_sandbox\/(?!assets|session|settings|events|#|$)/, async (route) => {
      await held.passed;
      await route.continue();
    });
    await page.goto(`${sandbox.url()}/_sandbox/#/${screen}project=${project()}-new`);
    await page.reload();
    const missing = page.getByRole('main').getByRole('heading', { name: /^No / });
    await page.getByText('Loading…').first().waitFor();
    expect(await missing.count(), screen).toBe(0);
    held.open();
    await missing.waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }
});

inBrowser('rows stay while a filter changes, and go with their project', async () => {
  await importJobs('J-1');
  const url = /\/requests\?/;
  const page = await open(`/live?project=${project()}`);
  const count = () => rowLinks(page, 'Requests').count();
  await expect.poll(count).toBe(1);
  const filtered = await holdFirst(page, url);
  // The sandbox takes 200 characters.
  await show(page, `/live?project=${project()}&q=${'x'.repeat(201)}`);
  await filtered.begun;
  expect(await count()).toBe(1);
  await filtered.release();
  await page.getByRole('heading', { name: 'No matches' }).waitFor();
  await show(page, `/live?project=${project()}`);
  await expect.poll(count).toBe(1);
  const proxyPage = { status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' };
  await page.route(url, (route) => route.fulfill(proxyPage));
  await show(page, `/live?project=${project()}-other`);
  await page.getByRole('alert').getByText('the response is not from the sandbox: 502 Bad Gateway').waitFor();
  await expect.poll(count).toBe(0);
  // As over HTTP/2, which has no texts of statuses.
  await page.route(url, (route) => route.fulfill({ status: 520, body: '' }));
  await show(page, `/live?project=${project()}`);
  await page.getByRole('alert').getByText('the response is not from the sandbox: 520').waitFor();
});

inBrowser('the rows are those of the latest load, also if an earlier one ends later', async () => {
  const page = await open('/connect');
  const earlier = await holdFirst(page, /\/callbacks\?view=rows/);
  await show(page, `/callbacks?project=${project()}&q=FAIL`);
  await earlier.begun;
  await show(page, `/callbacks?project=${project()}`);
  await page.getByRole('heading', { name: 'No callbacks yet' }).waitFor();
  await importJobs('FAIL-1');
  await advance();
  await show(page, `/callbacks?project=${project()}&q=FAIL`);
  await expect.poll(() => rowLinks(page, 'Callbacks').count()).toBe(1);
  await earlier.release();
  expect(await rowLinks(page, 'Callbacks').count()).toBe(1);
});
