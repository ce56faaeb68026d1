/** A partner developer follows a callback to its delivery, redelivers it, reads the inbox and sets the endpoint. */
import type { Locator, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, test } from 'vitest';
import { findBarriers, noBrowser, overflowOf, useBrowser } from '../harness/browser.ts';
import { useReceiver } from '../harness/receiver.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();
const browser = useBrowser();
const receiver = useReceiver();
const ownSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
let project = '';

beforeEach(async () => {
  project = freshProject();
  await sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'frozen', now: '2040-01-01T00:00:00Z' });
});

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly sent: string;
}

const importJob = (id: string) => sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id }] });
const setEndpoint = (endpoint: object) => sandbox.control('PUT', `/projects/${project}/callback-endpoint`, endpoint);
const endpoint = async () => (await sandbox.control('GET', `/projects/${project}/callback-endpoint`)).body as object;
const attempts = async () => (await sandbox.items(project, 'callbacks'))[0]?.['attempts'] as readonly Sent[];
const open = (query = '') => browser.open(sandbox.url(), `/callbacks?project=${project}${query}`);
const steps = (page: Page) => page.locator('ol.timeline > li');
const said = async (one: Locator) => ((await one.textContent()) ?? '').replaceAll(/\s+/g, ' ').trim();

/** Opens the only callback in the list at one of its tabs. */
async function openTab(page: Page, tab: 'Overview' | 'Message' | 'Attempts'): Promise<void> {
  await page.getByRole('link', { name: 'jobs.import.failed' }).click();
  await page.getByRole('tab', { name: tab, exact: true }).click();
}

/** The headers of an attempt as the page shows them. */
async function headersIn(step: Locator): Promise<Record<string, string>> {
  const [names, values] = await Promise.all([
    step.locator('.sent dl dt').allTextContents(),
    step.locator('.sent dl dd').allTextContents(),
  ]);
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

describe.skipIf(noBrowser)('a callback', () => {
  test('shows each attempt with its exact body and headers, from creation to delivery', async () => {
    receiver.answer(500, 503);
    await setEndpoint({ url: receiver.url() });
    const rules = [{ name: 'slow line', then: { callback: { delay: '40s' } } }];
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'late', rules }] });
    const request = await importJob('FAIL-GEOCODE-1');
    const page = await open();
    await page.getByRole('heading', { name: 'No callbacks yet' }).waitFor();
    const operation = page.getByRole('link', { name: 'Import a job in the API reference' });
    expect(await operation.getAttribute('href')).toBe(`#/reference?project=${project}&operation=asyncImportJobs`);

    await sandbox.advance(project, '1s');
    await openTab(page, 'Attempts');
    await expect.poll(() => steps(page).count()).toBe(2);
    await expect
      .poll(() => said(steps(page).first()))
      .toContain(
        `Created 2040-01-01 00:00:00.200 1 entry of asyncImportJobs ${request.headers['x-request-id']} failed. The request was received at 2040-01-01 00:00:00. The first attempt was due 40 s later.`,
      );
    await expect.poll(() => said(steps(page).last())).toContain('Outcome scheduled No attempts yet.');
    await expect
      .poll(() => said(steps(page).last()))
      .toContain('due at 2040-01-01 00:00:40.200, in 39 s on the project');

    await sandbox.advance(project, '40s');
    await expect.poll(() => steps(page).count()).toBe(3);
    await expect.poll(() => said(steps(page).nth(1))).toContain('Attempt 1 2040-01-01 00:00:40.200 500');
    await expect
      .poll(() => said(steps(page).last()))
      .toContain('Outcome scheduled Not delivered after 1 attempt. A retry is scheduled.');
    await sandbox.advance(project, '5s');
    await expect.poll(() => steps(page).count()).toBe(4);
    await expect
      .poll(() => said(steps(page).nth(2)))
      .toContain('Attempt 2 2040-01-01 00:00:45.200 503 Retry, 5 s after the previous attempt');
    await sandbox.advance(project, '30s');
    await expect.poll(() => steps(page).count()).toBe(5);
    await expect
      .poll(() => said(steps(page).nth(3)))
      .toContain('Attempt 3 2040-01-01 00:01:15.200 204 Retry, 30 s after the previous attempt');
    await expect
      .poll(() => said(steps(page).last()))
      .toBe('Outcome delivered Delivered on attempt 3. Sent 3 times: the receiver responded with 500, 503.');

    const made = await attempts();
    expect(receiver.received).toHaveLength(3);
    for (const [index, { body, headers }] of receiver.received.entries()) {
      const step = steps(page).nth(index + 1);
      expect(await step.getByLabel('Body').textContent()).toBe(body);
      await expect.poll(() => headersIn(step)).toEqual(made[index]?.headers);
      const shown = await headersIn(step);
      expect(headers).toMatchObject(shown);
      expect(Object.keys(shown)).toEqual(expect.arrayContaining(['webhook-id', 'webhook-signature']));
    }
  });

  test('is redelivered, whether the receiver accepts or rejects it', async () => {
    await setEndpoint({ url: receiver.url() });
    await importJob('FAIL-GEOCODE-1');
    await sandbox.advance(project);
    receiver.answer(418);
    const page = await open();
    await openTab(page, 'Attempts');
    await page.getByRole('button', { name: 'Redeliver' }).click();
    const notice = page.locator('.notices .note');
    await notice.getByText('Not delivered: 418.').waitFor();
    // A rejection is not a success, wherever it is shown.
    expect(await notice.locator('.good').count()).toBe(0);
    await expect.poll(() => steps(page).count()).toBe(4);
    await expect
      .poll(() => said(steps(page).last()))
      .toBe(
        'Outcome delivered Delivered on attempt 1; redelivered manually, rejected with 418. Sent 2 times: 1 manual redelivery.',
      );
    const dots = page.getByRole('img', { name: '2 attempts: 204, 418' });
    await dots.waitFor();
    expect(await dots.locator('.dot.good').count()).toBe(1);
    expect(await dots.locator('.dot.warn').count()).toBe(1);
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await notice.getByText('Delivered: 204.').waitFor();
    await expect.poll(() => steps(page).count()).toBe(5);
    await expect.poll(() => said(steps(page).nth(3))).toContain('Manual redelivery');
    await expect
      .poll(() => said(steps(page).last()))
      .toContain('Delivered on attempt 1; redelivered manually, delivered with 204 (last of 2 later attempts).');
    // A redelivery by another client is shown as well.
    const [callback] = await sandbox.items(project, 'callbacks');
    await sandbox.control('POST', `/projects/${project}/callbacks/${callback?.['id']}/redeliver`);
    await expect.poll(() => steps(page).count()).toBe(6);
    const bodies = receiver.received.map(({ body }) => body);
    expect(bodies).toEqual(Array.from({ length: 4 }, () => bodies[0]));
    expect(await attempts()).toMatchObject([{ status: 204 }, { status: 418 }, { status: 204 }, { status: 204 }]);
  });

  test('is stored in the inbox, copied, and delivered after an endpoint is set', async () => {
    await importJob('FAIL-GEOCODE-1');
    const page = await open();
    await page.getByRole('tab', { name: 'Inbox' }).click();
    await expect.poll(() => page.url()).toContain('view=inbox');
    await sandbox.advance(project);
    await page.getByRole('grid', { name: 'Callbacks' }).getByText('FAIL-GEOCODE-1').waitFor();
    await openTab(page, 'Attempts');
    await page.getByRole('button', { name: 'Copy message' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe((await attempts())[0]?.sent);
    await page.getByText('set an endpoint for the project').waitFor();
    await expect.poll(() => said(steps(page).nth(1))).toMatch(/bytes, exactly as stored in the inbox/);
    expect(await page.getByRole('button', { name: 'Redeliver' }).count()).toBe(0);
    await setEndpoint({ url: receiver.url() });
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await expect.poll(() => said(steps(page).last())).toContain('Outcome delivered');
    expect(receiver.received).toHaveLength(1);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('complementary', { name: 'Callback' }).waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'The inbox is empty' }).waitFor();
    expect(await page.getByRole('separator').count()).toBe(0);
  });
});

test.skipIf(noBrowser)('on a small display each callback shows its type, ids and state without scrolling', async () => {
  await importJob('FAIL-1');
  await sandbox.advance(project);
  const page = await browser.open(sandbox.url(), `/callbacks?project=${project}`, { width: 360, height: 740 });
  const row = page.getByRole('row').filter({ hasText: 'jobs.import.failed' });
  for (const text of ['jobs.import.failed', 'FAIL-1', 'inbox']) {
    const box = await row
      .getByText(text, { exact: text !== 'jobs.import.failed' })
      .first()
      .boundingBox();
    expect((box?.x ?? 360) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
  }
  expect(await overflowOf(page, 'main')).toBe(0);
  // The detail covers the list, and has the focus.
  await row.getByRole('link').click();
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H2');
  await page.getByRole('region', { name: 'Timeline' }).waitFor();
  expect(await overflowOf(page, '.callback-pane')).toBe(0);
  await page.getByRole('button', { name: 'Back' }).click();
  await row.waitFor();
});

describe.skipIf(noBrowser)('why a callback was sent several times', () => {
  const busy = {
    status: 503,
    headers: { 'x-reason': 'busy', 'set-cookie': 'id=1' },
    body: Buffer.from('{"error":"busy"}'),
  };

  test('is in its overview: each attempt with its gap and the response of the receiver', async () => {
    receiver.answer({ ...busy, status: 500, body: Buffer.alloc(5000, 'x') }, busy);
    await setEndpoint({ url: receiver.url() });
    await importJob('FAIL-GEOCODE-1');
    await sandbox.advance(project);
    const page = await open();
    await page.getByRole('img', { name: '3 attempts: 500, 503, 204' }).waitFor();
    await page.getByRole('link', { name: 'jobs.import.failed' }).click();
    await page.getByText('Sent 3 times: the receiver responded with 500, 503.').waitFor();
    const bars = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem');
    const expected = [
      /^Attempt 1 500 \+0 ms, took \d+ ms · First attempt x+$/,
      /^Attempt 2 503 \+5 s, took \d+ ms · Retry, 5 s after the previous attempt \{"error":"busy"\}$/,
      /^Attempt 3 204 \+35 s, took \d+ ms · Retry, 30 s after the previous attempt$/,
    ];
    for (const [index, text] of expected.entries())
      await expect.poll(() => said(bars.nth(index).locator('summary.step'))).toMatch(text);
    // The bars are on the project's time.
    const [second, third] = await Promise.all([1, 2].map((index) => bars.nth(index).locator('.extent').boundingBox()));
    expect(second?.x).toBeLessThan(third?.x ?? 0);

    await bars.nth(1).locator('summary.step').click();
    const response = bars.nth(1).locator('.response');
    await response.getByText('The receiver responded with 503').waitFor();
    await response.getByText(/\d headers/).click();
    await response.locator('dt').first().waitFor();
    const headers = Object.fromEntries(
      await Promise.all(
        (await response.locator('dt').all()).map(async (name) => [
          await name.textContent(),
          await name.locator('+ dd').textContent(),
        ]),
      ),
    );
    expect(headers).toMatchObject({ 'x-reason': 'busy', 'set-cookie': '***' });
    expect(await response.locator('pre').textContent()).toContain('"error": "busy"');
    await response.getByRole('button', { name: 'Copy response' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('{"error":"busy"}');
    expect(await findBarriers(page)).toEqual([]);

    await page.getByRole('tab', { name: 'Attempts' }).click();
    await steps(page).nth(1).getByText('The first 4,096 bytes of 5,000 bytes.').waitFor();
    expect(page.url()).toContain('detail=attempts');
    expect(await findBarriers(page)).toEqual([]);
  });

  test('shows why there was no response, and when the next attempt is due', async () => {
    await setEndpoint({ url: 'http://127.0.0.1:9/' });
    await importJob('FAIL-GEOCODE-1');
    await sandbox.advance(project, '1s');
    const page = await open();
    await page.getByRole('img', { name: '1 attempt: no response, one scheduled' }).waitFor();
    await page.getByRole('link', { name: 'jobs.import.failed' }).click();
    const bars = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem');
    await bars.first().getByText('No response: connection refused.').waitFor();
    await expect.poll(() => said(bars.last())).toBe('Attempt 2 scheduled Due in 4 s on the clock of the project');
  });
});

describe.skipIf(noBrowser)('the list', () => {
  /** One delivered import, one that failed, and an order that waits for its retry. */
  async function fill(): Promise<void> {
    await setEndpoint({ url: receiver.url() });
    await importJob('FAIL-1');
    await sandbox.advance(project);
    receiver.handle(() => 410);
    await importJob('FAIL-2');
    await sandbox.advance(project);
    await setEndpoint({ url: receiver.url() });
    receiver.handle(() => 500);
    await sandbox.api('POST', `/async/projects/${project}/orders`, { orders: [{ id: 'FAIL-3' }] });
    await sandbox.advance(project, '1s');
  }
  const shownIds = (page: Page) => page.locator('data-table .ids > :first-child').allTextContents();

  test('filters by the sandbox: values of one filter are alternatives, with counts', async () => {
    await fill();
    const page = await open();
    await expect.poll(() => shownIds(page)).toEqual(['FAIL-3', 'FAIL-2', 'FAIL-1']);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    for (const state of ['failed', 'scheduled'])
      await page.getByRole('checkbox', { name: `${state} 1`, exact: true }).check();
    await expect.poll(() => shownIds(page)).toEqual(['FAIL-3', 'FAIL-2']);
    expect(new URL(page.url()).hash).toContain('state=failed%2Cscheduled');
    await page.getByRole('checkbox', { name: 'orders.import.failed 1' }).check();
    await expect.poll(() => shownIds(page)).toEqual(['FAIL-3']);
    await page.getByText('1 callback', { exact: true }).waitFor();

    const shared = await open('&entity=FAIL-1');
    await expect.poll(() => shownIds(shared)).toEqual(['FAIL-1']);
    await shared.getByRole('searchbox', { name: 'Search callbacks' }).fill('nothing like this');
    await shared.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => shownIds(shared)).toHaveLength(3);
    await shared.getByRole('searchbox', { name: 'Search callbacks' }).fill('orders');
    await expect.poll(() => shownIds(shared)).toEqual(['FAIL-3']);
  });

  test('is sorted by the sandbox, and by the browser once it is loaded', async () => {
    await fill();
    const page = await open('&sort=state');
    await expect.poll(() => shownIds(page)).toEqual(['FAIL-1', 'FAIL-2', 'FAIL-3']);
    // The list of the sandbox again, and then the sorted one.
    await page.getByRole('button', { name: 'State', exact: true }).click();
    await expect.poll(() => shownIds(page)).toEqual(['FAIL-3', 'FAIL-2', 'FAIL-1']);
    await page.getByRole('button', { name: 'Type', exact: true }).click();
    await expect.poll(() => shownIds(page)).toEqual(['FAIL-3', 'FAIL-2', 'FAIL-1']);
    await page.getByRole('button', { name: 'Type', exact: true }).click();
    await expect.poll(() => shownIds(page)).toEqual(['FAIL-2', 'FAIL-1', 'FAIL-3']);
  });

  test('marks a callback that has just arrived', async () => {
    await fill();
    const page = await open();
    await expect.poll(() => shownIds(page)).toHaveLength(3);
    expect(await page.locator('.line.fresh').count()).toBe(0);
    await importJob('FAIL-4');
    await sandbox.advance(project, '1s');
    await expect.poll(() => page.locator('.line.fresh').allTextContents()).toEqual([expect.stringContaining('FAIL-4')]);
    await page.locator('.line.fresh').waitFor({ state: 'detached' });
    expect(await shownIds(page)).toHaveLength(4);
  });

  test('opens the next callback by keyboard, and compares two', async () => {
    await fill();
    const page = await open();
    await page.getByRole('link', { name: 'orders.import.failed' }).click();
    const pane = page.getByRole('complementary', { name: 'Callback' });
    await pane.getByText('FAIL-3').waitFor();
    await page.keyboard.press('j');
    await pane.getByRole('link', { name: 'FAIL-2' }).waitFor();
    const [id = ''] = [new URL(page.url()).hash.match(/callback=(\w+)/)?.[1]];
    await pane.getByRole('button', { name: 'Compare with…' }).click();
    const note = page.getByText(`Select the callback to compare with ${id}.`);
    await note.waitFor();
    const other = page.getByRole('row').filter({ hasText: 'FAIL-1' }).getByRole('link');
    await expect
      .poll(() => other.getAttribute('href'))
      .toMatch(new RegExp(`^#/compare\\?.*what=callbacks&a=${id}&b=msg_`));
    await page.keyboard.press('Escape');
    await note.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await pane.waitFor({ state: 'detached' });
  });
});

describe.skipIf(noBrowser)('the endpoint', () => {
  test('is set with a secret that signs callbacks and is never shown', async () => {
    const page = await open('&view=endpoint');
    await page.getByText(`No URL. Callbacks of ${project} are stored`).waitFor();
    const [url, secret] = [page.getByLabel('URL'), page.getByLabel('Secret', { exact: true })];
    await url.fill('ftp://nowhere');
    await secret.fill('whsec_short');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => url.getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => page.locator('#url-error').textContent()).toContain('http');
    expect(await endpoint()).toMatchObject({ url: null });

    await url.fill(`${receiver.url()}/hooks`);
    await secret.fill(ownSecret);
    await page.keyboard.press('Enter');
    await page.getByText('Saved with the new secret.').waitFor();
    await page.getByText(`Callbacks of ${project} are sent to ${receiver.url()}/hooks`).waitFor();
    expect(await endpoint()).toEqual({ url: `${receiver.url()}/hooks`, disabled: false });
    await expect.poll(() => secret.inputValue()).toBe('');
    await page.reload();
    await page.getByText(`Callbacks of ${project} are sent to`).waitFor();
    await expect.poll(() => url.inputValue()).toBe(`${receiver.url()}/hooks`);
    expect(await secret.inputValue()).toBe('');
    expect(await page.content()).not.toContain(ownSecret);

    await importJob('FAIL-GEOCODE-1');
    await sandbox.advance(project);
    const [{ body = '', headers = {}, path } = {}] = receiver.received;
    expect(path).toBe('/hooks');
    expect(new Webhook(ownSecret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
  });

  test('is shown as disabled when its receiver responds with 410, and is deleted', async () => {
    await setEndpoint({ url: receiver.url() });
    const page = await open('&view=endpoint');
    await page.getByText(`Callbacks of ${project} are sent to`).waitFor();
    receiver.answer(410);
    await importJob('FAIL-GEOCODE-1');
    await sandbox.advance(project);
    await page.getByText(`not sent to ${receiver.url()}`).waitFor();
    await expect.poll(() => page.getByLabel('Disabled').isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No URL. Callbacks of').waitFor();
    expect(await endpoint()).toMatchObject({ url: null });
  });
});
