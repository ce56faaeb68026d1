/** A partner developer follows a callback to its delivery, redelivers it, reads the inbox and sets the endpoint. */
import type { Locator, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, overflowOf, useBrowser } from '../harness/browser.ts';
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

/** The headers of an attempt as the page shows them. */
async function headersIn(step: Locator): Promise<Record<string, string>> {
  const [names, values] = await Promise.all([
    step.locator('dl.mono dt').allTextContents(),
    step.locator('dl.mono dd').allTextContents(),
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

    await sandbox.advance(project, '1s');
    await page.getByRole('link', { name: 'jobs.import.failed' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    await expect.poll(() => steps(page).count()).toBe(2);
    expect(await said(steps(page).first())).toContain(
      `Created 2040-01-01 00:00:00.200 1 entry of asyncImportJobs ${request.headers['x-request-id']} failed. The request was received at 2040-01-01 00:00:00. The first attempt was due 40 s later.`,
    );
    expect(await said(steps(page).last())).toContain('Outcome scheduled No attempts yet.');
    expect(await said(steps(page).last())).toContain('due at 2040-01-01 00:00:40.200, in 39 s on the project');

    await sandbox.advance(project, '40s');
    await expect.poll(() => steps(page).count()).toBe(3);
    expect(await said(steps(page).nth(1))).toContain('Attempt 1 2040-01-01 00:00:40.200 500');
    expect(await said(steps(page).last())).toContain(
      'Outcome scheduled Not delivered after 1 attempt. A retry is scheduled.',
    );
    await sandbox.advance(project, '5s');
    await expect.poll(() => steps(page).count()).toBe(4);
    expect(await said(steps(page).nth(2))).toContain(
      'Attempt 2 2040-01-01 00:00:45.200 503 Retry, 5 s after the previous attempt',
    );
    await sandbox.advance(project, '30s');
    await expect.poll(() => steps(page).count()).toBe(5);
    expect(await said(steps(page).nth(3))).toContain(
      'Attempt 3 2040-01-01 00:01:15.200 204 Retry, 30 s after the previous attempt',
    );
    expect(await said(steps(page).last())).toBe('Outcome delivered Delivered on attempt 3.');

    const made = await attempts();
    expect(receiver.received).toHaveLength(3);
    for (const [index, { body, headers }] of receiver.received.entries()) {
      const step = steps(page).nth(index + 1);
      expect(await step.getByLabel('Body').textContent()).toBe(body);
      const shown = await headersIn(step);
      expect(shown).toEqual(made[index]?.headers);
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
    await page.getByRole('link', { name: 'jobs.import.failed' }).click();
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByText('Not delivered: 418.').waitFor();
    await expect.poll(() => steps(page).count()).toBe(4);
    expect(await said(steps(page).last())).toBe(
      'Outcome delivered Delivered on attempt 1; redelivered manually, rejected with 418.',
    );
    await page.getByRole('link', { name: 'All callbacks' }).click();
    const row = page.getByRole('row').filter({ hasText: 'jobs.import.failed' });
    await expect
      .poll(() => row.textContent())
      .toContain('delivered on attempt 1; redelivered manually, rejected with 418');
    await row.getByRole('link', { name: 'jobs.import.failed' }).click();
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByText('Delivered: 204.').waitFor();
    await expect.poll(() => steps(page).count()).toBe(5);
    expect(await said(steps(page).nth(3))).toContain('Manual redelivery');
    expect(await said(steps(page).last())).toContain(
      'Delivered on attempt 1; redelivered manually, delivered with 204 (last of 2 later attempts).',
    );
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
    expect(page.url()).toContain('view=inbox');
    await sandbox.advance(project);
    const inbox = page.getByRole('list', { name: 'Inbox' });
    await inbox.getByText('FAIL-GEOCODE-1').waitFor();
    await inbox.getByRole('button', { name: 'Copy message' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe((await attempts())[0]?.sent);

    await inbox.getByRole('link', { name: 'jobs.import.failed' }).click();
    await page.getByText('set an endpoint for the project').waitFor();
    expect(await said(steps(page).nth(1))).toMatch(/bytes, exactly as stored in the inbox/);
    expect(await page.getByRole('button', { name: 'Redeliver' }).count()).toBe(0);
    await setEndpoint({ url: receiver.url() });
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await expect.poll(() => said(steps(page).last())).toContain('Outcome delivered');
    expect(receiver.received).toHaveLength(1);
    await page.getByRole('link', { name: 'All callbacks' }).click();
    await page.getByRole('heading', { name: 'The inbox is empty' }).waitFor();
  });
});

test.skipIf(noBrowser)(
  'on a small display each callback shows its state and its failed entries without scrolling',
  async () => {
    await importJob('FAIL-GEOCODE-1');
    await sandbox.advance(project);
    const page = await browser.open(sandbox.url(), `/callbacks?project=${project}`, { width: 360, height: 740 });
    const row = page.getByRole('row').filter({ hasText: 'jobs.import.failed' });
    await row.waitFor();
    for (const text of ['inbox', 'FAIL-GEOCODE-1', 'Address could not be geocoded', 'asyncImportJobs', '2040-01-01']) {
      const box = await row.getByText(text).first().boundingBox();
      expect((box?.x ?? 360) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
    }
    expect(await row.getByRole('cell').count()).toBe(6);

    expect(await overflowOf(page, '.callbacks')).toBe(0);
  },
);

describe.skipIf(noBrowser)('the endpoint', () => {
  test('is set with a secret that signs callbacks and is never shown', async () => {
    const page = await open('&view=endpoint');
    await page.getByText(`No URL. Callbacks of ${project} are stored`).waitFor();
    const [url, secret] = [page.getByLabel('URL'), page.getByLabel('Secret', { exact: true })];
    await url.fill('ftp://nowhere');
    await secret.fill('whsec_short');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => url.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('#url-error').textContent()).toContain('http');
    expect(await endpoint()).toMatchObject({ url: null });

    await url.fill(`${receiver.url()}/hooks`);
    await secret.fill(ownSecret);
    await page.keyboard.press('Enter');
    await page.getByText('Saved with the new secret.').waitFor();
    await page.getByText(`Callbacks of ${project} are sent to ${receiver.url()}/hooks`).waitFor();
    expect(await endpoint()).toEqual({ url: `${receiver.url()}/hooks`, disabled: false });
    expect(await secret.inputValue()).toBe('');
    await page.reload();
    await page.getByText(`Callbacks of ${project} are sent to`).waitFor();
    expect(await url.inputValue()).toBe(`${receiver.url()}/hooks`);
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
    expect(await page.getByLabel('Disabled').isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No URL. Callbacks of').waitFor();
    expect(await endpoint()).toMatchObject({ url: null });
  });
});
