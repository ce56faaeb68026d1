/** A partner developer watches requests arrive, finds the error in one, fixes it and sends it again. */
import type { Page, Response } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { load } from '../bench/load.ts';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { bodyRows, chooseProject, columnOf, copied, focused, main, requestDetail, rowLinks, show } from './page.ts';

const sandbox = useSandbox();
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const rowsOf = (page: Page) => rowLinks(page, 'Requests');
const lines = (page: Page) => bodyRows(page.getByRole('grid', { name: 'Requests' }));
/** The texts of a column. */
const column = (page: Page, title: string) => columnOf(page.getByRole('grid', { name: 'Requests' }), title);
const scrollTo = (page: Page, top: number) =>
  page.getByRole('grid', { name: 'Requests' }).evaluate((grid, to) => grid.scrollTo(0, to), top);
const importJobs = (...jobs: readonly object[]) => sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });

describe.skipIf(noBrowser)('live', () => {
  test('a request is edited and sent, and copied as a curl command', async () => {
    const refused = await importJobs({ id: 'J-1', status: 'DELIVERD' });
    const page = await browser.open(
      sandbox.url(),
      `/live?project=${project}&request=${refused.headers['x-request-id']}`,
    );
    const drawer = requestDetail(page);
    await drawer.getByRole('button', { name: 'Edit and send' }).click();
    await drawer.getByLabel('Body').fill('{"jobs":[{"id":"J-1","status":"DELIVERED"}]}');
    await drawer.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.poll(() => sandbox.items(project, 'jobs').then((jobs) => jobs.map(({ id }) => id))).toEqual(['J-1']);

    await drawer.getByRole('link', { name: 'Request', exact: true }).click();
    await drawer.getByText('"DELIVERED"').first().waitFor();
    await drawer.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Copied.').waitFor();
    const command = await copied(page);
    expect(command).toContain(`curl -i -X POST '${sandbox.url()}/async/projects/${project}/jobs'`);
    expect(command).toContain("-H 'apikey: sandbox-key'");
    expect(command).toContain(`--data-raw '{"jobs":[{"id":"J-1","status":"DELIVERED"}]}'`);
  });

  test('a request is downloaded as a HAR file, and sent again unchanged', async () => {
    const first = await importJobs({ id: 'J-1' });
    const page = await browser.open(sandbox.url(), `/live?project=${project}&request=${first.headers['x-request-id']}`);
    const drawer = requestDetail(page);
    const downloading = page.waitForEvent('download');
    await drawer.getByRole('link', { name: 'Download HAR' }).click();
    const stream = await (await downloading).createReadStream();
    const parts: Buffer[] = [];
    for await (const part of stream) parts.push(part as Buffer);
    const { log } = JSON.parse(Buffer.concat(parts).toString());
    expect(log.version).toBe('1.2');
    expect(log.entries[0].request).toMatchObject({ method: 'POST', postData: { text: '{"jobs":[{"id":"J-1"}]}' } });

    await drawer.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(async () => (await sandbox.items(project, 'requests')).length).toBe(2);
    const sent = await sandbox.items(project, 'requests');
    expect(sent[1]).toMatchObject({ request: { body: '{"jobs":[{"id":"J-1"}]}' } });
  });

  test('search, open, move and close work by keyboard', async () => {
    for (const id of ['J-1', 'J-2']) await importJobs({ id });
    await sandbox.api('POST', `/async/projects/${project}/orders`, { orders: [{ id: 'O-1' }] });
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
    await page.getByLabel('Search requests').focus();
    await page.keyboard.type('/jobs');
    await expect.poll(() => rowsOf(page).count()).toBe(2);
    await page.getByRole('grid', { name: 'Requests' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const detail = requestDetail(page);
    const idsCell = detail.getByRole('definition').getByRole('link', { name: /^J-/ });
    await expect.poll(() => idsCell.textContent()).toBe('J-2');
    await expect.poll(() => page.url()).toContain('q=%2Fjobs');
    // The detail follows the selection, and moves add no steps to the history.
    await page.keyboard.press('j');
    await expect.poll(() => idsCell.textContent()).toBe('J-1');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => idsCell.textContent()).toBe('J-2');
    await expect.poll(() => page.getByRole('row', { selected: true }).count()).toBe(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => detail.count()).toBe(0);
    await expect.poll(() => focused(page)).toBe('Requests');
    await page.goBack();
    await expect.poll(() => idsCell.textContent()).toBe('J-2');
  });

  test('a row has the ids, what came of the entries, and the callbacks', async () => {
    await importJobs({ id: 'J-1' }, { id: 'J-2' }, { id: 'J-3' }, { id: 'J-4' });
    await importJobs({ id: 'J-5', status: 'DELIVERD' }, { id: 'J-6' });
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
    await expect.poll(() => rowsOf(page).count()).toBe(2);
    await importJobs({ id: 'FAIL-7' }, { id: 'J-1' });
    const ids = () => column(page, 'Ids');
    const results = () => column(page, 'Result');
    await expect.poll(ids).toEqual(['FAIL-7, J-1', 'J-5, J-6', 'J-1, J-2 +2']);
    await expect
      .poll(results)
      .toEqual([
        expect.stringMatching(/^2 failed magic-ids \w/),
        expect.stringMatching(/^1 accepted · 1 rejected status: expected one of/),
        '4 accepted',
      ]);
    await page.getByRole('img', { name: '1 callback: inbox' }).waitFor();
    // The same after a reload, without events.
    await page.reload();
    await expect
      .poll(results)
      .toEqual([
        expect.stringMatching(/^2 failed magic-ids \w/),
        expect.stringMatching(/^1 accepted · 1 rejected status: expected one of/),
        '4 accepted',
      ]);
    expect(await page.getByRole('columnheader', { name: 'Project' }).count()).toBe(0);
  });

  test('a screen reader hears the number of a selection', async () => {
    for (const id of ['J-1', 'J-2']) await importJobs({ id });
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
    await expect.poll(() => rowsOf(page).count()).toBe(2);
    await importJobs({ id: 'J-3' });
    // A screen reader announces the number of a selection, and not that of each new request.
    const count = main(page).getByRole('status').filter({ hasText: '3 requests' });
    await expect.poll(() => count.getAttribute('aria-live')).toBe('off');
    await page.getByLabel('Search requests').fill('J-3');
    await count.getByText('1 of 3 requests').waitFor();
    await expect.poll(() => count.getAttribute('aria-live')).toBe('polite');
  });

  test('the sandbox sorts the list in pages, the link keeps the order, and new requests enter there', async () => {
    const reject = () => sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: 1 });
    await reject();
    await Promise.all(Array.from({ length: 210 }, (_, n) => importJobs({ id: `J-${n}` })));
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
    await main(page).getByText('211 requests', { exact: true }).waitFor();
    const header = page.getByRole('columnheader', { name: 'Status' });
    const asked = page.waitForRequest(/sort=-status/);
    await header.getByRole('button').click();
    await asked;
    // The pointer would hold the list still.
    await page.mouse.move(0, 0);
    const first = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, at) =>
          lines(page)
            .nth(at)
            .getByText(/^(202|400)$/)
            .textContent(),
        ),
      );
    await expect.poll(() => first(2)).toEqual(['400', '202']);
    await page.reload();
    await expect.poll(() => first(2)).toEqual(['400', '202']);
    await expect.poll(() => header.getAttribute('aria-sort')).toBe('descending');
    await reject();
    await importJobs({ id: 'latest' });
    await expect.poll(() => first(3)).toEqual(['400', '400', '202']);
    await lines(page).nth(2).getByText('latest').waitFor();
    await page.getByText('1 to 200 of 213').waitFor();
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByText('201 to 213 of 213').waitFor();
    await page.reload();
    await expect.poll(() => lines(page).count()).toBe(13);
    await page.goBack();
    await expect.poll(() => lines(page).count()).toBe(200);
  });

  test('a hidden page disconnects, and is up to date when it is visible again', async () => {
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
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
    await importJobs({ id: 'J-1' });
    const rows = rowsOf(page);
    expect(await rows.count()).toBe(0);
    await look(false);
    await expect.poll(() => rows.count()).toBe(1);
    await expect.poll(metrics).toContain('sandbox_event_followers 1');
  });

  test('new requests do not move a list that is scrolled down', async () => {
    await Promise.all(Array.from({ length: 60 }, (_, n) => importJobs({ id: `J-${n}` })));
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
    await main(page).getByText('60 requests', { exact: true }).waitFor();
    await scrollTo(page, 320);
    const [id = ''] = (await column(page, 'Ids')).slice(15);
    const row = lines(page).filter({ has: page.getByText(id, { exact: true }) });
    const placeOf = async () => (await row.boundingBox())?.y;
    const place = await placeOf();
    await importJobs({ id: 'new-1' });
    await importJobs({ id: 'new-2' });
    await main(page).getByText('62 requests', { exact: true }).waitFor();
    await page.getByRole('button', { name: '2 new requests' }).waitFor();
    expect(await placeOf()).toBe(place);
  });

  test('pausing stops the list', async () => {
    for (const id of ['J-1', 'J-2']) await importJobs({ id });
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
    await expect.poll(() => rowsOf(page).count()).toBe(2);
    await page.getByRole('button', { name: 'Pause' }).click();
    await importJobs({ id: 'J-3' });
    await page.getByRole('button', { name: '1 new request' }).waitFor();
    expect(await rowsOf(page).count()).toBe(2);
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => rowsOf(page).count()).toBe(3);
    // Only the sandbox knows which requests have the text.
    await page.getByLabel('Search requests').fill('J-1');
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    await page.getByRole('button', { name: 'Pause' }).click();
    await importJobs({ id: 'J-4' });
    await page.getByText('1 of 4 requests').waitFor();
    await page.getByLabel('Search requests').fill('');
    await chooseProject(page, 'nobody');
    await expect.poll(() => rowsOf(page).count()).toBe(0);
  });
});

describe.skipIf(noBrowser)('many requests', () => {
  const busy = useSandbox();

  beforeAll(async () => {
    const path = (n: number) => `/async/projects/busy-${n % 5}/jobs`;
    const body = (n: number) => {
      const id = Math.floor(n / 5);
      return JSON.stringify({ jobs: [{ id: `J-${id}`, status: id % 50 === 0 ? 'DELIVERD' : 'PENDING' }] });
    };
    await load(busy.url(), { name: '', connections: 8, requests: 5000, path, body }, { from: 0, isOurs: false });
  }, 90_000);

  test.each([
    ['live', /^5,000 requests$/, { compressed: 20_000, plain: 140_000 }],
    ['quality?tab=problems', /[1-9]\d* of \d+ problems?/, { compressed: 40_000, plain: 400_000 }],
  ] as const)('%s loads only a small part of five thousand, compressed', async (screen, loaded, max) => {
    const page = await browser.open(busy.url(), '/connect');
    await browser.settle(page);
    const sizes: Promise<{ readonly compressed: number; readonly plain: number }>[] = [];
    const measure = async (response: Response) => ({
      compressed: (await response.request().sizes()).responseBodySize,
      plain: (await response.body()).length,
    });
    page.on('response', (response) => {
      if (!response.url().includes('/assets/')) sizes.push(measure(response));
    });
    await show(page, `/${screen}`);
    await main(page).getByText(loaded).waitFor();
    await browser.settle(page);
    const all = await Promise.all(sizes);
    const sum = (key: 'compressed' | 'plain') => all.reduce((total, size) => total + size[key], 0);
    expect(sum('compressed')).toBeLessThan(max.compressed);
    expect(sum('plain')).toBeLessThan(max.plain);
  });

  test('the page contains only the first two hundred of five thousand', async () => {
    const page = await browser.open(busy.url(), '/live');
    await main(page).getByRole('status').getByText('5,000 requests', { exact: true }).waitFor();
    await expect.poll(() => lines(page).count()).toBe(200);
    await page.getByText('1 to 200 of 5,000').waitFor();
  });
});
