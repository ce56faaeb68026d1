/** A partner developer watches requests arrive, finds the error in one, fixes it and sends it again. */
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { chooseProject } from './bar.ts';

const sandbox = useSandbox();
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const importJobs = (...jobs: readonly object[]) => sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });

describe.skipIf(noBrowser)('live', () => {
  test('a new request appears, with its errors next to the values, its stored records and its callbacks', async () => {
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
    const list = page.getByRole('list', { name: 'Requests' });
    await importJobs({ id: 'J-1', colour: 'red' }, { id: 'J-2', status: 'DELIVERD' }, { id: 'FAIL-GEOCODE-3' });
    await list.getByRole('link').first().click();

    const drawer = page.getByRole('complementary', { name: 'Request' });
    await expect.poll(() => drawer.getByRole('heading', { level: 2 }).textContent()).toContain('asyncImportJobs');
    await drawer.getByRole('tab', { name: 'Request' }).click();
    const errors = await drawer.locator('.error').allTextContents();
    expect(errors.some((text) => text.includes('did you mean DELIVERED?'))).toBe(true);
    expect(errors.some((text) => text.includes('colour'))).toBe(true);
    // Each error follows the line of its value.
    const body = (await drawer.locator('pre').first().textContent()) ?? '';
    expect(body.indexOf('"colour": "red"')).toBeLessThan(body.indexOf('unknown field'));
    expect(body.indexOf('unknown field')).toBeLessThan(body.indexOf('"J-2"'));

    await drawer.getByRole('tab', { name: 'Overview' }).click();
    const outcome = drawer.getByRole('region', { name: 'Result' });
    await outcome.getByRole('link', { name: /^msg_/ }).waitFor();
    await page.reload();
    await outcome.getByRole('link', { name: 'jobs J-1' }).waitFor();
    await drawer.getByRole('tab', { name: 'Rules' }).click();
    expect(await drawer.getByRole('region', { name: 'Rules' }).textContent()).toContain('magic-ids');
  });

  test('a request is edited and sent, and copied as a curl command', async () => {
    const refused = await importJobs({ id: 'J-1', status: 'DELIVERD' });
    const page = await browser.open(
      sandbox.url(),
      `/live?project=${project}&request=${refused.headers['x-request-id']}`,
    );
    const drawer = page.getByRole('complementary', { name: 'Request' });
    await drawer.getByRole('button', { name: 'Edit and send' }).click();
    await drawer.getByLabel('Body').fill('{"jobs":[{"id":"J-1","status":"DELIVERED"}]}');
    await drawer.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.poll(() => sandbox.items(project, 'jobs').then((jobs) => jobs.map(({ id }) => id))).toEqual(['J-1']);

    await drawer.getByRole('tab', { name: 'Request' }).click();
    await drawer.getByText('"DELIVERED"').first().waitFor();
    await drawer.getByRole('button', { name: 'Copy as curl' }).click();
    const command = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(command).toContain(`curl -i -X POST '${sandbox.url()}/async/projects/${project}/jobs'`);
    expect(command).toContain("-H 'apikey: sandbox-key'");
    expect(command).toContain(`--data-raw '{"jobs":[{"id":"J-1","status":"DELIVERED"}]}'`);
  });

  test('a request is downloaded as a HAR file, and sent again unchanged', async () => {
    const first = await importJobs({ id: 'J-1' });
    const page = await browser.open(sandbox.url(), `/live?project=${project}&request=${first.headers['x-request-id']}`);
    const drawer = page.getByRole('complementary', { name: 'Request' });
    const downloading = page.waitForEvent('download');
    await drawer.getByRole('button', { name: 'Download HAR' }).click();
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

  test('search, open and close work by keyboard, and the focus returns', async () => {
    await importJobs({ id: 'J-1' });
    await sandbox.api('POST', `/async/projects/${project}/orders`, { orders: [{ id: 'O-1' }] });
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
    const list = page.getByRole('list', { name: 'Requests' });
    await page.getByLabel('Search requests').focus();
    await page.keyboard.type('orders');
    await expect.poll(() => list.getByRole('link').count()).toBe(1);
    await list.getByRole('link').focus();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('complementary', { name: 'Request' });
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H2');
    expect(await drawer.getByRole('heading', { level: 2 }).textContent()).toBe('asyncImportOrders');
    expect(page.url()).toContain('q=orders');
    await page.keyboard.press('Escape');
    await expect.poll(() => drawer.count()).toBe(0);
    expect(await page.evaluate('document.activeElement.className')).toContain('request');
  });

  test('a batch with rejected or failed entries shows their counts and is not a success', async () => {
    await importJobs({ id: 'J-1' });
    await importJobs({ id: 'J-2', status: 'DELIVERD' }, { id: 'J-3' });
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
    await importJobs({ id: 'FAIL-4' }, { id: 'J-1' });
    const rows = page.getByRole('list', { name: 'Requests' }).getByRole('link');
    const marks = async () => (await rows.locator('.marks').allTextContents()).map((text) => text.trim());
    const wanted = [expect.stringMatching(/^2 failed later/), expect.stringMatching(/^1 rejected/), ''];
    await expect.poll(marks).toEqual(wanted);
    await page.getByRole('link', { name: 'Problems 2 requests' }).waitFor();
    await page.getByRole('link', { name: 'Callbacks 1 callbacks' }).waitFor();
    // The same after a reload, without events.
    await page.reload();
    await expect.poll(marks).toEqual(wanted);
    for (const name of ['success', 'rejected', 'failed']) {
      await page.getByRole('button', { name, exact: true }).click();
      await expect.poll(() => rows.count()).toBe(1);
      await page.getByRole('button', { name, exact: true }).click();
    }
  });

  test('the search finds text in bodies, also of new requests, and reports no matches', async () => {
    await importJobs({ id: 'needle-1' });
    await importJobs({ id: 'hay' });
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
    const rows = page.getByRole('list', { name: 'Requests' }).getByRole('link');
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel('Search requests').fill('needle');
    await expect.poll(() => rows.count()).toBe(1);
    await importJobs({ id: 'needle-2' });
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel('Search requests').fill('nothing has this');
    await page.getByRole('heading', { name: /^No matches/ }).waitFor();
    await page.getByRole('button', { name: 'Clear filters', exact: true }).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(2);
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
    await importJobs({ id: 'J-1' });
    const rows = page.getByRole('list', { name: 'Requests' }).getByRole('link');
    expect((await sandbox.control('GET', '/metrics')).text).toContain('sandbox_event_followers 0');
    expect(await rows.count()).toBe(0);
    await look(false);
    await expect.poll(() => rows.count()).toBe(1);
    expect((await sandbox.control('GET', '/metrics')).text).toContain('sandbox_event_followers 1');
  });

  test('new requests do not move a list that is scrolled down', async () => {
    await Promise.all(Array.from({ length: 60 }, (_, n) => importJobs({ id: `J-${n}` })));
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
    const list = 'document.querySelector("virtual-list")';
    await expect.poll(() => page.evaluate(`${list}.scrollHeight`)).toBe(60 * 36);
    await page.evaluate(`${list}.scrollTo(0, 360)`);
    await expect.poll(() => page.evaluate(`${list}.scrollTop`)).toBe(360);
    await importJobs({ id: 'new-1' });
    await importJobs({ id: 'new-2' });
    await expect.poll(() => page.evaluate(`${list}.scrollTop`)).toBe(360 + 2 * 36);
  });

  test('chips filter the list, pausing stops it, and a project can be selected', async () => {
    await importJobs({ id: 'J-1' });
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: 1 });
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
    const rows = page.getByRole('list', { name: 'Requests' }).getByRole('link');
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole('button', { name: 'rejected' }).click();
    await expect.poll(() => rows.count()).toBe(1);
    expect(page.url()).toContain('show=refused');
    await page.getByRole('button', { name: 'rejected' }).click();
    await page.getByRole('button', { name: 'Pause' }).click();
    await importJobs({ id: 'J-2' });
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect(await rows.count()).toBe(2);
    await page.getByText(/paused, 1 new/).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => rows.count()).toBe(3);
    await chooseProject(page, 'nobody');
    await expect.poll(() => rows.count()).toBe(0);
  });
});

describe.skipIf(noBrowser)('many requests', () => {
  const busy = useSandbox();

  test('the page contains only the visible ones of five thousand', async () => {
    for (let n = 0; n < 5; n += 1) {
      const send = (_none: unknown, k: number) =>
        busy.api('POST', `/async/projects/busy-${n}/jobs`, { jobs: [{ id: `J-${k}` }] });
      for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 100 }, send));
    }
    const page = await browser.open(busy.url(), '/live');
    await expect.poll(() => page.getByText('5000 of the latest 5000 requests').count(), { timeout: 10_000 }).toBe(1);
    const rows = page.getByRole('list', { name: 'Requests' }).getByRole('listitem');
    expect(await rows.count()).toBeLessThan(80);
    await page.evaluate('document.querySelector("virtual-list").scrollTo(0, 1e9)');
    await expect.poll(() => rows.last().getAttribute('aria-posinset')).toBe('5000');
    expect(await rows.count()).toBeLessThan(80);
  }, 60_000);
});
