/** A tester opens the console of a sandbox with an admin token: it shows no data before the login, and one login is enough. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { connection, heading, rowLinks } from './page.ts';

const adminToken = 'let-me-in-please';
const sandbox = useSandbox({ adminToken });
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const importOrder = (id: string) => sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id }] });
const form = (page: Page) => page.getByRole('heading', { name: 'Log in' });
const field = (page: Page) => page.getByLabel('Admin token or API key');
const rows = (page: Page) => rowLinks(page, 'Requests');

async function logIn(page: Page): Promise<void> {
  await field(page).fill(adminToken);
  await page.keyboard.press('Enter');
}

describe.skipIf(noBrowser)('with an admin token', () => {
  test('the console requires it, rejects another token, and shows the screen after the login and after a reload', async () => {
    await importOrder('O-1');
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
    await form(page).waitFor();
    expect(await page.content()).not.toContain('syncImportOrders');

    await field(page).fill('let-me-in');
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect
      .poll(() => page.getByRole('alert').textContent())
      .toBe('Neither the admin token nor a valid API key: this API key was never issued.');
    expect(await form(page).count()).toBe(1);
    await logIn(page);
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(await form(page).count()).toBe(0);
    await connection(page, 'live').waitFor();
    // The pointer would hold the list still.
    await page.mouse.move(0, 0);
    await importOrder('O-2');
    await expect.poll(() => rows(page).count()).toBe(2);

    await page.reload();
    await expect.poll(() => rows(page).count()).toBe(2);
    expect(await form(page).count()).toBe(0);
  });

  test('a page that is hidden and shown before the login asks for no events', async () => {
    const page = await browser.open(sandbox.url(), '/live');
    await form(page).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      // Fonts may be loaded as late as this.
      if (request.resourceType() !== 'font') asked.push(new URL(request.url()).pathname);
    });
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await field(page).fill('let-me-in');
    await page.keyboard.press('Enter');
    await page.getByText('Neither the admin token').waitFor();
    expect(new Set(asked)).toEqual(new Set(['/_sandbox/session']));
  });

  test('the session is stored only in a cookie that scripts cannot read', async () => {
    const page = await browser.open(sandbox.url(), `/live?project=${project}`);
    await logIn(page);
    await heading(page, 'Requests').waitFor();
    const [cookie, ...others] = await page.context().cookies(`${sandbox.url()}/_sandbox/`);
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/_sandbox' });
    expect(await page.evaluate('document.cookie')).toBe('');
    const { cookies, origins } = await page.context().storageState();
    expect(cookies).toHaveLength(1);
    expect(JSON.stringify({ cookies, origins })).not.toContain(adminToken);
    expect(page.url()).not.toContain(adminToken);
  });

  test('a link leads to its screen after the login, and the login is required again without the cookie', async () => {
    await importOrder('O-1');
    const page = await browser.open(sandbox.url(), `/records?project=${project}&collection=orders&record=O-1`);
    await form(page).waitFor();
    await logIn(page);
    await page.getByRole('heading', { name: 'O-1' }).waitFor();
    await page.context().clearCookies();
    await page.reload();
    await form(page).waitFor();
  });
});
