/** A partner developer follows a callback to its delivery, redelivers it, reads the inbox and sets the endpoint. */
import type { Locator, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { useReceiver } from '../harness/receiver.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { columnOf, copied, notices, textOf, visibleTextsOf } from './page.ts';

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
const result = (page: Page) => page.getByRole('region', { name: 'Result' });
const bars = (page: Page) => page.getByRole('region', { name: 'Timeline' }).getByRole('listitem');
const shownIds = async (page: Page) =>
  (await columnOf(page.getByRole('grid', { name: 'Callbacks' }), 'Ids')).map((text) => text.split(' ')[0]);

/** Opens the only callback in the list. */
const openOnly = (page: Page) => page.getByRole('link', { name: 'jobs.import.failed' }).click();

/** The headers that a part of the page shows. */
async function headersIn(part: Locator): Promise<Record<string, string>> {
  const names = await part.getByRole('term').allTextContents();
  const values = await part.getByRole('definition').allTextContents();
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
    await openOnly(page);
    const made = page.getByRole('definition');
    await made.getByText(`asyncImportJobs ${request.headers['x-request-id']} at 2040-01-01 00:00:00`).waitFor();
    await made.getByText('2040-01-01 00:00:00.200 UTC').waitFor();
    await expect.poll(() => textOf(result(page))).toContain('No attempts yet.');
    await expect.poll(() => textOf(result(page))).toContain('00:00:40.200, in 39 s on the project');
    await expect.poll(() => textOf(bars(page))).toContain('Attempt 1 scheduled');

    await sandbox.advance(project, '40s');
    await expect.poll(() => bars(page).count()).toBe(2);
    await expect.poll(() => textOf(result(page))).toContain('Not delivered after 1 attempt. A retry is scheduled.');
    await sandbox.advance(project, '35s');
    await expect.poll(() => bars(page).count()).toBe(3);
    await expect
      .poll(() => textOf(result(page)))
      .toContain('Delivered on attempt 3. Sent 3 times: the receiver responded with 500, 503.');

    const sentOnes = await attempts();
    expect(receiver.received).toHaveLength(3);
    for (const [index, { body, headers }] of receiver.received.entries()) {
      const bar = bars(page).nth(index);
      await bar.getByText(`Attempt ${index + 1}`).click();
      await bar.getByText(/^Sent headers and body/).click();
      const sent = bar.getByRole('group', { name: 'Sent headers and body' });
      await expect.poll(() => headersIn(sent)).toEqual(sentOnes[index]?.headers);
      expect(await sent.getByLabel('Body').textContent()).toBe(body);
      const shown = await headersIn(sent);
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
    await openOnly(page);
    await page.getByRole('button', { name: 'Redeliver' }).click();
    const notice = notices(page);
    await notice.getByText('Not delivered: 418.').waitFor();
    // A rejection is not a success.
    await notice.getByRole('img', { name: 'Error' }).waitFor();
    expect(await notice.getByRole('img', { name: 'Success' }).count()).toBe(0);
    await expect.poll(() => bars(page).count()).toBe(2);
    await expect
      .poll(() => textOf(result(page)))
      .toContain('Delivered on attempt 1; redelivered manually, rejected with 418. Sent 2 times: 1 manual redelivery.');
    await page.getByRole('img', { name: '2 attempts: 204, 418' }).waitFor();
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await notice.getByText('Delivered: 204.').waitFor();
    await expect.poll(() => bars(page).count()).toBe(3);
    await expect.poll(() => textOf(bars(page).nth(2))).toContain('Manual redelivery');
    await expect
      .poll(() => textOf(result(page)))
      .toContain('Delivered on attempt 1; redelivered manually, delivered with 204 (last of 2 later attempts).');
    // A redelivery by another client is shown as well.
    const [callback] = await sandbox.items(project, 'callbacks');
    await sandbox.control('POST', `/projects/${project}/callbacks/${callback?.['id']}/redeliver`);
    await expect.poll(() => bars(page).count()).toBe(4);
    const bodies = receiver.received.map(({ body }) => body);
    expect(bodies).toEqual(Array.from({ length: 4 }, () => bodies[0]));
    expect(await attempts()).toMatchObject([{ status: 204 }, { status: 418 }, { status: 204 }, { status: 204 }]);
  });

  test('is stored in the inbox, copied, and delivered after an endpoint is set', async () => {
    await importJob('FAIL-GEOCODE-1');
    const page = await open();
    await sandbox.advance(project);
    await page.getByRole('grid', { name: 'Callbacks' }).getByText('FAIL-GEOCODE-1').waitFor();
    await openOnly(page);
    await page.getByRole('button', { name: 'Copy message' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await copied(page)).toBe((await attempts())[0]?.sent);
    await page.getByText('set an endpoint for the project').waitFor();
    await expect.poll(() => textOf(bars(page))).toMatch(/bytes, exactly as stored in the inbox/);
    expect(await page.getByRole('button', { name: 'Redeliver' }).count()).toBe(0);
    await setEndpoint({ url: receiver.url() });
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByRole('complementary', { name: 'Callback' }).getByText('delivered', { exact: true }).waitFor();
    expect(receiver.received).toHaveLength(1);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('complementary', { name: 'Callback' }).waitFor({ state: 'detached' });
    await page.getByRole('gridcell').getByText('delivered').waitFor();
  });
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
    const expected = [
      /^Attempt 1 500 \+0 ms, took \d+ ms · First attempt x+$/,
      /^Attempt 2 503 \+5 s, took \d+ ms · Retry, 5 s after the previous attempt \{"error":"busy"\}$/,
      /^Attempt 3 204 \+35 s, took \d+ ms · Retry, 30 s after the previous attempt$/,
    ];
    for (const [index, text] of expected.entries())
      await expect.poll(() => visibleTextsOf(bars(page).nth(index))).toEqual([expect.stringMatching(text)]);
    await bars(page).nth(1).getByText('Attempt 2').click();
    const response = bars(page).nth(1).getByRole('group', { name: 'Response' });
    await response.getByText('The receiver responded with 503').waitFor();
    await response.getByText(/\d headers/).click();
    await expect.poll(() => headersIn(response)).toMatchObject({ 'x-reason': 'busy', 'set-cookie': '***' });
    await response.getByRole('group', { name: 'JSON' }).getByText('"busy"').waitFor();
    await response.getByRole('button', { name: 'Copy response' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await copied(page)).toBe('{"error":"busy"}');

    await bars(page).first().getByText('Attempt 1').click();
    await bars(page).first().getByText('The first 4,096 bytes of 5,000 bytes.').waitFor();
  });

  test('shows why there was no response, and when the next attempt is due', async () => {
    await setEndpoint({ url: 'http://127.0.0.1:9/' });
    await importJob('FAIL-GEOCODE-1');
    await sandbox.advance(project, '1s');
    const page = await open();
    await page.getByRole('img', { name: '1 attempt: no response, one scheduled' }).waitFor();
    await page.getByRole('link', { name: 'jobs.import.failed' }).click();
    await bars(page).first().getByText('No response: connection refused.').waitFor();
    await expect
      .poll(() => textOf(bars(page).last()))
      .toMatch(/^Attempt 2 scheduled ?\+5 s · due at 2040-01-01 00:00:05/);
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

  test('filters by the sandbox: values of one filter are alternatives, with counts', async () => {
    await fill();
    const page = await open();
    await expect.poll(() => shownIds(page)).toEqual(['FAIL-3', 'FAIL-2', 'FAIL-1']);
    await page.getByRole('button', { name: 'State', exact: true }).first().click();
    for (const state of ['failed', 'scheduled'])
      await page.getByRole('checkbox', { name: `${state} 1`, exact: true }).check();
    await expect.poll(() => shownIds(page)).toEqual(['FAIL-3', 'FAIL-2']);
    expect(new URL(page.url()).hash).toContain('state=failed%2Cscheduled');
    await page.getByRole('button', { name: 'Type', exact: true }).first().click();
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

  test('opens the next callback by keyboard, from the first key on', async () => {
    await fill();
    const page = await open();
    await expect.poll(() => shownIds(page)).toHaveLength(3);
    for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key);
    const pane = page.getByRole('complementary', { name: 'Callback' });
    await pane.getByRole('link', { name: 'FAIL-2' }).waitFor();
    await page.keyboard.press('j');
    await pane.getByRole('link', { name: 'FAIL-1' }).waitFor();
    await page.keyboard.press('Escape');
    await pane.waitFor({ state: 'detached' });
  });

  test('has a callback that was made without a request', async () => {
    await setEndpoint({ url: receiver.url() });
    const page = await open();
    await page.getByRole('button', { name: 'Send a test callback' }).click();
    await page.getByRole('combobox', { name: 'Type' }).selectOption('orders.import.failed');
    await page.getByLabel('Copies').fill('0');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('dialog').getByRole('alert').filter({ hasText: '1' }).waitFor();
    await page.getByLabel('Copies').fill('2');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const pane = page.getByRole('complementary', { name: 'Callback' });
    await pane.getByRole('heading', { name: 'orders.import.failed' }).waitFor();
    await sandbox.advance(project);
    await expect.poll(() => bars(page).count()).toBe(2);
    expect(receiver.received).toHaveLength(2);
  });

  test('holds still while a callback is open, and says how many are new', async () => {
    await fill();
    const page = await open();
    await page.getByRole('link', { name: 'orders.import.failed' }).click();
    await importJob('FAIL-4');
    await sandbox.advance(project, '1s');
    const newer = page.getByRole('button', { name: '1 new callback' });
    await newer.waitFor();
    expect(await shownIds(page)).toEqual(['FAIL-3', 'FAIL-2', 'FAIL-1']);
    await newer.click();
    await expect.poll(() => shownIds(page)).toEqual(['FAIL-4', 'FAIL-3', 'FAIL-2', 'FAIL-1']);
    await expect.poll(() => newer.count()).toBe(0);
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
    await page.getByRole('alert').filter({ hasText: 'http' }).waitFor();
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
    const list = await open();
    await list.getByText('the receiver responded with 410').waitFor();
    await list.getByRole('button', { name: 'Enable' }).click();
    await list.getByText('the receiver responded with 410').waitFor({ state: 'detached' });
    expect(await endpoint()).toMatchObject({ disabled: false });
    await setEndpoint({ url: receiver.url(), disabled: true });
    await expect.poll(() => page.getByLabel('Disabled').isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No URL. Callbacks of').waitFor();
    expect(await endpoint()).toMatchObject({ url: null });
  });
});
