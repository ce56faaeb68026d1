/** A partner developer watches requests arrive, filters and sorts them, and moves through them by keyboard. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { findBarriers } from '../harness/browser.ts';
import { bodyRows, columnOf, focused, inBrowser, main, requestDetail, rowLinks, useConsole } from './page.ts';

const { sandbox, project, open, importJobs, importOrders, control, freeze, advance } = useConsole();

const rowsOf = (page: Page) => rowLinks(page, 'Requests');
const lines = (page: Page) => bodyRows(page.getByRole('grid', { name: 'Requests' }));
const column = (page: Page, title: string) => columnOf(page.getByRole('grid', { name: 'Requests' }), title);
const count = (page: Page, text: string) => main(page).getByText(text, { exact: true }).waitFor();
const menu = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Filters' }).getByRole('button', { name, exact: true });
const check = (page: Page, name: string) => page.getByRole('dialog').getByRole('checkbox', { name }).click();
/** The pointer would hold the list still. */
const leave = (page: Page) => page.mouse.move(0, 0);

inBrowser('a row has the ids, what came of the entries with the reason, and the callbacks', async () => {
  await importJobs('J-1', 'J-2', 'J-3', 'J-4');
  await importJobs({ id: 'J-5', status: 'DELIVERD' }, 'J-6');
  const page = await open('live');
  await expect.poll(() => rowsOf(page).count()).toBe(2);
  await importJobs('FAIL-7', 'J-1');
  await expect.poll(() => column(page, 'Ids')).toEqual(['FAIL-7, J-1', 'J-5, J-6', 'J-1, J-2 +2']);
  // The same after a reload, without events.
  for (const _time of [1, 2]) {
    await expect
      .poll(() => column(page, 'Result'))
      .toEqual([
        expect.stringMatching(/^2 failed magic-ids \w/),
        expect.stringMatching(/^1 accepted · 1 rejected status: expected one of/),
        '4 accepted',
      ]);
    await page.getByRole('img', { name: '1 callback: inbox' }).waitFor();
    await page.reload();
  }
  expect(await page.getByRole('columnheader', { name: 'Project' }).count()).toBe(0);
  // Of another day than that of the project's clock.
  await freeze('2040-01-01T23:59:00Z');
  await importJobs('J-8');
  await advance('1h');
  await expect.poll(async () => (await column(page, 'Time'))[0]).toBe('01-01 23:59');
});

inBrowser('search, open, move and close work by keyboard, and a screen reader hears the number', async () => {
  for (const id of ['J-1', 'J-2']) await importJobs(id);
  await importOrders('O-1');
  const page = await open('live');
  await count(page, '3 requests');
  await page.getByLabel('Search requests').fill('/jobs');
  const number = main(page).getByRole('status').filter({ hasText: '2 of 3 requests' });
  await expect.poll(() => number.getAttribute('aria-live')).toBe('polite');
  // From the first key on, wherever the focus is.
  await page.evaluate('document.activeElement.blur()');
  for (const key of ['j', 'Enter']) await page.keyboard.press(key);
  const detail = requestDetail(page);
  const id = detail.getByRole('definition').getByRole('link', { name: /^J-/ });
  await expect.poll(() => id.textContent()).toBe('J-2');
  await expect.poll(() => page.url()).toContain('q=%2Fjobs');
  // The detail follows the selection, and moves add no steps to the history.
  await page.keyboard.press('j');
  await expect.poll(() => id.textContent()).toBe('J-1');
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => id.textContent()).toBe('J-2');
  await expect.poll(() => page.getByRole('row', { selected: true }).count()).toBe(1);
  await page.keyboard.press('Escape');
  await expect.poll(() => detail.count()).toBe(0);
  await expect.poll(() => focused(page)).toBe('Requests');
  await importJobs('J-3');
  await page.getByRole('button', { name: '1 new request' }).waitFor();
  // Also from the header that was clicked.
  await page.getByTitle('Sort by status').click();
  await expect.poll(() => page.url()).toContain('sort=-status');
  for (const key of ['ArrowUp', 'Enter']) await page.keyboard.press(key);
  await expect.poll(() => id.textContent()).toBe('J-3');
  expect(page.url()).toContain('sort=-status');
  // On a phone, the detail covers the list.
  await page.setViewportSize({ width: 390, height: 800 });
  await detail.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => focused(page)).toBe('Requests');
});

inBrowser('filters match any of their values and all together, with counts, and are in the link', async () => {
  await importJobs('J-1');
  await importJobs({ id: 'J-10', status: 'DELIVERD' }, 'J-11');
  await importJobs('FAIL-2');
  await sandbox.api('POST', `/sync/projects/${project()}/orders`, { orders: 1 });
  await control('GET', '/callbacks?await=5s&min=1');
  const page = await open('live');
  await expect.poll(() => rowsOf(page).count()).toBe(4);
  await menu(page, 'Outcome').click();
  await page.getByRole('dialog').getByText('with warnings').waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await check(page, 'rejected 2');
  await expect.poll(() => rowsOf(page).count()).toBe(2);
  await check(page, 'failed 1');
  await expect.poll(() => rowsOf(page).count()).toBe(3);
  await menu(page, 'Status').click();
  await check(page, '4xx rejected 1');
  await page.getByText('1 of 4 requests').waitFor();
  expect(decodeURIComponent(page.url())).toContain('outcome=rejected,failed');
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('Status: 4xx rejected');
  await page.reload();
  await expect.poll(() => rowsOf(page).count()).toBe(1);
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect.poll(() => focused(page)).toBe('Search requests');
  await expect.poll(() => rowsOf(page).count()).toBe(4);

  await menu(page, 'Id').click();
  await page.getByRole('textbox', { name: 'Id' }).fill('J-1');
  await page.keyboard.press('Enter');
  await expect.poll(() => rowsOf(page).count()).toBe(1);
  await leave(page);
  await importJobs('J-12');
  await importJobs('J-13', 'J-14', 'J-15', 'J-1');
  await page.getByText('2 of 6 requests').waitFor();
  await menu(page, 'Time').click();
  await check(page, 'last minute');
  await expect.poll(() => page.url()).toContain('within=1m');
  await menu(page, 'More filters').click();
  await page.getByLabel('From (UTC)').fill('2019-01-01T00:00:00');
  await page.getByLabel('To (UTC)').fill('2020-01-01T00:00:00');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'No matches' }).waitFor();
  expect(decodeURIComponent(page.url())).toContain('from=2019-01-01T00:00:00Z&to=2020-01-01T00:00:00Z');
  expect(page.url()).not.toContain('within');
});

inBrowser('the sandbox sorts the list in pages, the link keeps the order, and new requests enter there', async () => {
  const reject = () => sandbox.api('POST', `/async/projects/${project()}/jobs`, { jobs: 1 });
  await reject();
  await Promise.all(Array.from({ length: 210 }, (_, n) => importJobs(`J-${n}`)));
  const page = await open('live');
  await count(page, '211 requests');
  const header = page.getByRole('columnheader', { name: 'Status' });
  await header.getByRole('button').press('Enter');
  expect(await focused(page)).toContain('Status');
  const first = async (many: number) => (await column(page, 'Status')).slice(0, many);
  await expect.poll(() => first(2)).toEqual(['400', '202']);
  await page.reload();
  await expect.poll(() => first(2)).toEqual(['400', '202']);
  await expect.poll(() => header.getAttribute('aria-sort')).toBe('descending');
  await reject();
  await importJobs('latest');
  await expect.poll(() => first(3)).toEqual(['400', '400', '202']);
  await lines(page).nth(2).getByText('latest').waitFor();
  await page.getByText('1 to 200 of 213').waitFor();
  await page.getByRole('link', { name: 'Next page' }).click();
  await page.getByText('201 to 213 of 213').waitFor();
  await page.goBack();
  await expect.poll(() => lines(page).count()).toBe(200);

  // New requests do not move a list that is scrolled down.
  await page.getByRole('grid', { name: 'Requests' }).evaluate((grid) => grid.scrollTo(0, 320));
  const place = async () => (await lines(page).nth(20).boundingBox())?.y;
  const before = await place();
  await reject();
  await page.getByRole('button', { name: '1 new request' }).waitFor();
  expect(await place()).toBe(before);
});

inBrowser('a hidden page disconnects, and is up to date when it is visible again', async () => {
  const page = await open('live');
  await page.getByText('live', { exact: true }).waitFor();
  await page.clock.install();
  const look = (hidden: boolean) =>
    page.evaluate(
      `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
    );
  await look(true);
  await page.clock.fastForward(6000);
  const metrics = async () => (await sandbox.control('GET', '/metrics')).text;
  await expect.poll(metrics).toContain('sandbox_event_followers 0');
  await importJobs('J-1');
  expect(await rowsOf(page).count()).toBe(0);
  await look(false);
  await expect.poll(() => rowsOf(page).count()).toBe(1);
  await expect.poll(metrics).toContain('sandbox_event_followers 1');
  // As one that is opened in the background.
  await page.addInitScript("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
  await page.reload();
  await page.getByText('live', { exact: true }).waitFor();
  await page.clock.fastForward(6000);
  await expect.poll(metrics).toContain('sandbox_event_followers 0');
  await importJobs('J-2');
  await look(false);
  await expect.poll(() => rowsOf(page).count()).toBe(2);
  // A browser has six connections: not every page follows the events, and each of them shows what happens.
  const others = await Promise.all(Array.from({ length: 7 }, () => open('live')));
  await importJobs('J-3');
  for (const one of others) await expect.poll(() => rowsOf(one).count()).toBe(3);
});

inBrowser('rows that go leave nothing behind', async () => {
  const send = (name: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => importJobs(`${name}-${n}`)));
  await send('first', 200);
  const page = await open('live');
  await expect.poll(() => lines(page).count()).toBe(200);
  const session = await page.context().newCDPSession(page);
  const nodes = async () => {
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Memory.getDOMCounters')).nodes;
  };
  const before = await nodes();
  for (const name of ['a', 'b', 'c', 'd']) {
    await send(name, 50);
    const sent = lines(page).filter({ hasText: `${name}-` });
    await expect.poll(() => sent.count()).toBe(50);
  }
  await expect.poll(nodes).toBeLessThan(1.2 * before);
});

inBrowser('says how many older requests the journal has dropped', async () => {
  for (let n = 0; n < 51; n += 1) await Promise.all(Array.from({ length: 20 }, () => importOrders()));
  const page = await open('live');
  await count(page, '1,000 requests; 20 older dropped');
});
