/** A tester opens the console of a sandbox with an admin token, and a partner with an API key: each sees their projects only. */
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { findBarriers, useBrowser } from '../harness/browser.ts';
import { useSandbox } from '../harness/sandbox.ts';
import {
  chooseProject,
  connection,
  hasFocus,
  heading,
  inBrowser,
  openProjects,
  projectButton,
  rowLinks,
  scenarioEditor,
  screenNames,
  screens,
  show,
  textsOf,
  writeScenario,
} from './page.ts';

const adminToken = 'let-me-in-please';
const admin = { authorization: `Bearer ${adminToken}` };
const sandbox = useSandbox({ adminToken, apiKeys: ['operator-key', 'rival-key=rival-1'] });
const browser = useBrowser();
let key = '';

const importOrder = (project: string, apikey: string, id: string) =>
  sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id }] }, { apikey });

async function createKey(): Promise<{ readonly id: string; readonly key: string }> {
  const wanted = { projects: ['acme-*'], label: 'Acme' };
  return (await sandbox.control('POST', '/keys', wanted, admin)).body as { id: string; key: string };
}

beforeAll(async () => {
  ({ key } = await createKey());
  await importOrder('rival-1', 'rival-key', 'RIVAL-ORDER');
  await importOrder('acme-1', key, 'ACME-ORDER');
  await importOrder('acme-2', key, 'ACME-OTHER');
  await sandbox.api('POST', '/async/project/rival-1/jobs', { jobs: [] }, { apikey: 'operator-key' });
});

const open = (route: string) => browser.open(sandbox.url(), route);
const form = (page: Page) => page.getByRole('heading', { name: 'Log in' });
const field = (page: Page) => page.getByLabel('Admin token or API key');
const rows = (page: Page) => rowLinks(page, 'Requests');

async function logIn(page: Page, secret = key): Promise<void> {
  await field(page).fill(secret);
  await page.keyboard.press('Enter');
  await form(page).waitFor({ state: 'detached' });
}

/** Returns the projects of the menu, without "All projects" and the counts. */
async function offered(page: Page): Promise<readonly string[]> {
  const menu = await openProjects(page);
  const titles = await textsOf(menu.getByRole('option'));
  await page.keyboard.press('Escape');
  return titles.slice(1).map((text) => text.replace(/ \d+$/, ''));
}

inBrowser('the console requires a login, rejects another token, and then leads to the link', async () => {
  const page = await open('/records?project=acme-1&collection=orders&record=ACME-ORDER');
  await form(page).waitFor();
  expect(await page.content()).not.toContain('ACME-ORDER');
  const asked: string[] = [];
  page.on('request', (request) => {
    // Fonts may be loaded as late as this.
    if (request.resourceType() !== 'font') asked.push(new URL(request.url()).pathname);
  });
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await field(page).fill('let-me-in');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => page.getByRole('alert').textContent())
    .toBe('Neither the admin token nor a valid API key: this API key was never issued.');
  expect(new Set(asked)).toEqual(new Set(['/_sandbox/session']));
  // As it was pasted.
  await logIn(page, `${adminToken} `);
  await page.getByRole('heading', { name: 'ACME-ORDER' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'ACME-ORDER' }).waitFor();
  expect(await form(page).count()).toBe(0);
  // The session is stored only in a cookie that scripts cannot read.
  const [cookie, ...others] = await page.context().cookies(`${sandbox.url()}/_sandbox/`);
  expect(others).toEqual([]);
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/_sandbox' });
  expect(await page.evaluate('document.cookie')).toBe('');
  expect(JSON.stringify(await page.context().storageState())).not.toContain(adminToken);
  expect(page.url()).not.toContain(adminToken);
  await page.context().clearCookies();
  // The palette notices that the session has ended.
  await page.keyboard.press('Control+k');
  await form(page).waitFor();
  await expect.poll(() => hasFocus(field(page))).toBe(true);
  await page.keyboard.press('Control+k');
  expect(await page.getByRole('dialog').count()).toBe(0);
});

inBrowser('a partner sees what the key opens only, on every screen', { timeout: 60_000 }, async () => {
  const page = await open('/live');
  await logIn(page);
  await expect.poll(() => rows(page).count()).toBe(2);
  await expect.poll(() => offered(page)).toEqual(['acme-1', 'acme-2']);
  await page.getByText('Acme: acme-*').first().waitFor();
  await connection(page, 'live').waitFor();
  await importOrder('rival-1', 'rival-key', 'RIVAL-2');
  await importOrder('acme-1', key, 'ACME-2');
  await expect.poll(() => rows(page).count()).toBe(3);
  expect(await findBarriers(page)).toEqual([]);
  for (const screen of screenNames) {
    await show(page, `/${screen}?project=acme-1`);
    await heading(page, screens[screen]).waitFor();
    await browser.settle(page);
    expect(await page.content(), screen).not.toMatch(/\brival/i);
    expect(await page.getByRole('alert').allTextContents(), screen).toEqual([]);
  }
  // Examples are of a project that the key opens.
  await show(page, '/reference?operation=syncImportOrders');
  await expect.poll(() => page.getByLabel('projectId').inputValue()).toBe('acme-1');
  await expect.poll(() => page.getByLabel('Request body').inputValue()).toContain('orders');
  await show(page, '/records?project=rival-1&collection=orders');
  await page.getByText('Your API key does not open project rival-1. Your API key opens: acme-*.').waitFor();
  await page.getByRole('heading', { name: 'Select a project to see its records' }).waitFor();
  expect(await page.content()).not.toContain('RIVAL-ORDER');
});

inBrowser('a partner changes the own projects, and has no button for all projects or the library', async () => {
  const page = await open('/scenarios?edit=new');
  await logIn(page);
  await page.getByRole('button', { name: 'Select a project', exact: true }).last().waitFor();
  await chooseProject(page, 'acme-1');
  await page.getByRole('button', { name: 'Activate for acme-1' }).click();
  await page.getByText('Activated my-scenario for acme-1.').waitFor();
  expect(await page.getByRole('button', { name: /^Save/ }).count()).toBe(0);
  await show(page, '/scenarios?project=acme-1');
  const ofProject = page.getByRole('switch', { name: 'outage for acme-1' });
  await ofProject.click();
  await expect.poll(() => ofProject.getAttribute('aria-checked')).toBe('true');
  expect(await page.getByRole('switch', { name: /for all projects/ }).count()).toBe(0);
  await sandbox.control('PUT', '/projects/acme-1/scenarios', { scenarios: [] }, admin);
  await show(page, '/clock?project=acme-1');
  await page.getByRole('button', { name: 'Reset acme-1…' }).waitFor();
  await page.getByText('All settings').click();
  await page.getByText('"apiKey"').first().waitFor();
  expect(await page.content()).not.toContain('operator-key');
  await expect.poll(() => page.getByRole('button', { name: 'Reset all projects…' }).count()).toBe(0);
});

inBrowser('a partner logs out, and leaves nothing that was entered to the next user', async () => {
  const page = await open('/connect?project=acme-1');
  const scenario = scenarioEditor(page);
  const body = page.getByLabel('Request body');
  const write = async (text: string): Promise<void> => {
    await writeScenario(page, text);
    await page.getByRole('button', { name: 'Discard changes' }).waitFor();
  };
  await logIn(page);
  await page.getByText(`apikey: ${key}`).first().waitFor();
  await show(page, '/reference?project=acme-1&operation=syncImportOrders');
  await body.fill('{"orders":[{"id":"SECRET-1"}]}');
  await show(page, '/scenarios?project=acme-1&edit=new');
  await write('name: secret-2');
  await show(page, '/scenarios?project=acme-1&edit=outage');
  await scenario.getByText('outage').first().waitFor();
  await write('name: secret-3');
  await page.getByRole('button', { name: 'Log out' }).click();
  await form(page).waitFor();
  expect(await projectButton(page).count()).toBe(0);
  await logIn(page, adminToken);
  await scenario.getByText('outage').first().waitFor();
  await show(page, '/scenarios?project=acme-1');
  await heading(page, 'Scenarios').waitFor();
  expect(await page.content()).not.toMatch(/secret-/i);
  await show(page, '/reference?project=acme-1&operation=syncImportOrders');
  await expect.poll(() => body.inputValue()).toContain('orders');
  expect(await body.inputValue()).not.toContain('SECRET-1');
  await expect.poll(() => page.getByLabel('API key', { exact: true }).inputValue()).toBe('sandbox-key');
  await show(page, '/connect?project=acme-1');
  await page.getByText('This sandbox has its own API keys and never shows them.').waitFor();
  expect(await page.content()).not.toContain(key);
  await expect.poll(() => offered(page)).toContain('rival-1');
  // Also who has the admin token, and on the other pages of the browser.
  const other = await open('/live');
  await page.getByRole('button', { name: 'Log out' }).click();
  await form(page).waitFor();
  await form(other).waitFor();
});

inBrowser('a partner has to log in again as soon as the key is deleted', async () => {
  const { id, key: short } = await createKey();
  const page = await open('/live');
  await logIn(page, short);
  await connection(page, 'live').waitFor();
  await sandbox.control('DELETE', `/keys/${id}`, undefined, admin);
  await form(page).waitFor();
  expect(await page.content()).not.toContain('acme');
});
