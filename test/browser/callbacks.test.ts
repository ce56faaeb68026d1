/** A partner developer follows a callback to its delivery, redelivers it, reads the inbox and sets the endpoint. */
import type { Locator, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { beforeEach, expect } from 'vitest';
import { useReceiver } from '../harness/receiver.ts';
import { copied, idOf, inBrowser, notices, textOf, textsOf, useConsole, visibleTextsOf } from './page.ts';

const { sandbox, project, importJobs, activate, setEndpoint, advance, items, control, ...console } = useConsole();
const receiver = useReceiver();
const ownSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

beforeEach(() => console.freeze('2040-01-01T00:00:00Z'));

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly sent: string;
}

const endpoint = async () => (await control('GET', '/callback-endpoint')).body as object;
const attempts = async () => (await items('callbacks'))[0]?.['attempts'] as readonly Sent[];
const open = (query = '') => console.open(`callbacks${query}`);
const pane = (page: Page) => page.getByRole('complementary', { name: 'Callback' });
const result = (page: Page) => textOf(page.getByRole('region', { name: 'Result' }));
const bars = (page: Page) => page.getByRole('region', { name: 'Timeline' }).getByRole('listitem');
/** Opens the only callback in the list. */
const openOnly = (page: Page) => page.getByRole('link', { name: 'jobs.import.failed' }).click();

/** The headers that a part of the page shows. */
async function headersIn(part: Locator): Promise<Record<string, string>> {
  const names = await part.getByRole('term').allTextContents();
  const values = await part.getByRole('definition').allTextContents();
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

inBrowser('a callback shows each attempt with its exact bytes, its gap and the response', async () => {
  const body = Buffer.from('{"error":"busy"}');
  const busy = { status: 503, headers: { 'x-reason': 'busy', 'set-cookie': 'id=1' }, body };
  receiver.answer({ ...busy, status: 500, body: Buffer.alloc(5000, 'x') }, busy);
  await setEndpoint({ url: receiver.url() });
  await activate({ name: 'late', rules: [{ name: 'slow line', then: { callback: { delay: '40s' } } }] });
  const request = await importJobs('FAIL-GEOCODE-1');
  const page = await open();
  await page.getByRole('heading', { name: 'No callbacks yet' }).waitFor();
  const operation = page.getByRole('link', { name: 'Import a job in the API reference' });
  expect(await operation.getAttribute('href')).toContain('operation=asyncImportJobs');
  await advance('1s');
  await openOnly(page);
  const facts = page.getByRole('definition');
  await facts.getByText(`asyncImportJobs ${idOf(request)} at 2040-01-01 00:00:00`).waitFor();
  await facts.getByText('2040-01-01 00:00:00.200 UTC').waitFor();
  await expect.poll(() => result(page)).toContain('No attempts yet.');
  await expect.poll(() => result(page)).toContain('00:00:40.200, in 39 s on the project');
  await advance('40s');
  await expect.poll(() => result(page)).toContain('Not delivered after 1 attempt. A retry is scheduled.');
  await page.getByRole('img', { name: '1 attempt: 500, one scheduled' }).waitFor();
  await expect
    .poll(() => textOf(bars(page).last()))
    .toMatch(/^Attempt 2 scheduled ?\+45 s · due at 2040-01-01 00:00:45/);
  await advance();
  await expect
    .poll(() => result(page))
    .toContain('Delivered on attempt 3. Sent 3 times: the receiver responded with 500, 503.');
  const expected = [
    /^Attempt 1 500 \+40 s, took \d+ ms · First attempt x+$/,
    /^Attempt 2 503 \+45 s, took \d+ ms · Retry, 5 s after the previous attempt \{"error":"busy"\}$/,
    /^Attempt 3 204 .* · Retry, 30 s after the previous attempt$/,
  ];
  for (const [index, text] of expected.entries())
    await expect.poll(() => visibleTextsOf(bars(page).nth(index))).toEqual([expect.stringMatching(text)]);

  const sentOnes = await attempts();
  expect(receiver.received).toHaveLength(3);
  for (const [index, { body: received, headers }] of receiver.received.entries()) {
    const bar = bars(page).nth(index);
    await bar.getByText(`Attempt ${index + 1}`).click();
    await bar.getByText(/^Sent headers and body/).click();
    const sent = bar.getByRole('group', { name: 'Sent headers and body' });
    await expect.poll(() => headersIn(sent)).toEqual(sentOnes[index]?.headers);
    expect(await sent.getByLabel('Body').textContent()).toBe(received);
    const shown = await headersIn(sent);
    expect(headers).toMatchObject(shown);
    expect(Object.keys(shown)).toEqual(expect.arrayContaining(['webhook-id', 'webhook-signature']));
  }
  await bars(page).first().getByText('The first 4,096 bytes of 5,000 bytes.').waitFor();
  const response = bars(page).nth(1).getByRole('group', { name: 'Response' });
  await response.getByText(/\d headers/).click();
  await expect.poll(() => headersIn(response)).toMatchObject({ 'x-reason': 'busy', 'set-cookie': '***' });
  await response.getByRole('button', { name: 'Copy response' }).click();
  await page.getByText('Copied.').waitFor();
  expect(await copied(page)).toBe('{"error":"busy"}');
});

inBrowser('a callback is redelivered, whether the receiver accepts or rejects it', async () => {
  await setEndpoint({ url: receiver.url() });
  await importJobs('FAIL-GEOCODE-1');
  await advance();
  receiver.answer(418);
  const page = await open();
  await openOnly(page);
  await page.getByRole('button', { name: 'Redeliver' }).click();
  await notices(page).getByText('Not delivered: 418.').waitFor();
  // A rejection is not a success.
  await notices(page).getByRole('img', { name: 'Error' }).waitFor();
  expect(await notices(page).getByRole('img', { name: 'Success' }).count()).toBe(0);
  await expect
    .poll(() => result(page))
    .toContain('redelivered manually, rejected with 418. Sent 2 times: 1 manual redelivery.');
  await page.getByRole('img', { name: '2 attempts: 204, 418' }).waitFor();
  await page.getByRole('button', { name: 'Redeliver' }).click();
  await notices(page).getByText('Delivered: 204.').waitFor();
  await expect.poll(() => textOf(bars(page).nth(2))).toContain('Manual redelivery');
  // A redelivery by another client is shown as well.
  const [callback] = await items('callbacks');
  await control('POST', `/callbacks/${callback?.['id']}/redeliver`);
  await expect.poll(() => bars(page).count()).toBe(4);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
});

inBrowser('a callback is stored in the inbox, copied, and delivered after an endpoint is set', async () => {
  await importJobs('FAIL-GEOCODE-1');
  const page = await open();
  await advance();
  await openOnly(page);
  await page.getByRole('button', { name: 'Copy message' }).click();
  await page.getByText('Copied.').waitFor();
  expect(await copied(page)).toBe((await attempts())[0]?.sent);
  await page.getByText('set an endpoint for the project').waitFor();
  await expect.poll(() => textOf(bars(page))).toMatch(/bytes, exactly as stored in the inbox/);
  expect(await page.getByRole('button', { name: 'Redeliver' }).count()).toBe(0);
  await setEndpoint({ url: receiver.url() });
  await page.getByRole('button', { name: 'Redeliver' }).click();
  await pane(page).getByText('delivered', { exact: true }).waitFor();
  expect(receiver.received).toHaveLength(1);
  const [callback] = await items('callbacks');
  for (let count = 0; count < 51; count += 1) await control('POST', `/callbacks/${callback?.['id']}/redeliver`);
  await expect.poll(() => bars(page).count()).toBe(50);
  expect(await textsOf(bars(page))).not.toContainEqual(expect.stringContaining('+-'));
  // The row and the detail agree.
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('gridcell').getByText('delivered').waitFor();
});

inBrowser('a callback is made without a request, in a form with the errors of the sandbox', async () => {
  await setEndpoint({ url: receiver.url() });
  const page = await open();
  await page.getByRole('button', { name: 'Send a test callback' }).click();
  await page.getByRole('combobox', { name: 'Type' }).selectOption('orders.import.failed');
  await page.getByLabel('Copies').fill('0');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('dialog').getByRole('alert').filter({ hasText: '1' }).waitFor();
  await page.getByLabel('Copies').fill('2');
  await page.getByRole('button', { name: 'Send', exact: true }).dblclick();
  await pane(page).getByRole('heading', { name: 'orders.import.failed' }).waitFor();
  expect((await items('callbacks')).length).toBe(1);
  await advance();
  await expect.poll(() => bars(page).count()).toBe(2);
  await setEndpoint({ url: 'http://127.0.0.1:9/' });
  await page.getByRole('button', { name: 'Redeliver' }).click();
  await bars(page).last().getByText('No response: connection refused.').waitFor({ state: 'attached' });
});

inBrowser('the endpoint is set with a secret that is never shown, disabled by a 410, enabled and deleted', async () => {
  const page = await open('?view=endpoint');
  await page.getByText(`No URL. Callbacks of ${project()} are stored`).waitFor();
  const [url, secret] = [page.getByLabel('URL'), page.getByLabel('Secret', { exact: true })];
  await url.fill('ftp://nowhere');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(() => url.getAttribute('aria-invalid')).toBe('true');
  await page.getByRole('alert').filter({ hasText: 'http' }).waitFor();
  expect(await endpoint()).toMatchObject({ url: null });
  await url.fill(`${receiver.url()}/hooks`);
  await secret.fill(ownSecret);
  await page.keyboard.press('Enter');
  await page.getByText('Saved with the new secret.').waitFor();
  await page.getByText(`Callbacks of ${project()} are sent to ${receiver.url()}/hooks`).waitFor();
  await expect.poll(() => secret.inputValue()).toBe('');
  await page.reload();
  await expect.poll(() => url.inputValue()).toBe(`${receiver.url()}/hooks`);
  expect(await page.content()).not.toContain(ownSecret);

  receiver.answer(410);
  await importJobs('FAIL-GEOCODE-1');
  await advance();
  const [{ body = '', headers = {} } = {}] = receiver.received;
  expect(new Webhook(ownSecret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
  await page.getByText(`not sent to ${receiver.url()}`).waitFor();
  const list = await open();
  await list.getByText('the receiver responded with 410').waitFor();
  await list.getByRole('button', { name: 'Enable' }).click();
  await list.getByText('the receiver responded with 410').waitFor({ state: 'detached' });
  await expect.poll(() => page.getByLabel('Disabled').isChecked()).toBe(false);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No URL. Callbacks of').waitFor();
  expect(await endpoint()).toMatchObject({ url: null });
  // A listener needs no URL.
  await page.evaluate(`void (globalThis.listener = new EventSource('projects/${project()}/listener'))`);
  await page.getByText('sent to the listener at').waitFor();
  await page.getByLabel('Disabled').check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(endpoint).toMatchObject({ url: null, disabled: true });
});
