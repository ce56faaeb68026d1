/** A partner with an API key opens the console of a shared sandbox: it shows the partner's projects and nothing else. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { findBarriers, noBrowser, useBrowser } from '../harness/browser.ts';
import { useSandbox } from '../harness/sandbox.ts';
import {
  connection,
  heading,
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
let keyId = '';

const importOrder = (project: string, apikey: string, id: string) =>
  sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id }] }, { apikey });

async function createKey(): Promise<{ readonly id: string; readonly key: string }> {
  const wanted = { projects: ['acme-*'], label: 'Acme' };
  return (await sandbox.control('POST', '/keys', wanted, admin)).body as { id: string; key: string };
}

beforeAll(async () => {
  ({ id: keyId, key } = await createKey());
  await importOrder('rival-1', 'rival-key', 'RIVAL-ORDER');
  await importOrder('acme-1', key, 'ACME-ORDER');
  await importOrder('acme-2', key, 'ACME-OTHER');
  await sandbox.api('POST', '/async/project/rival-1/jobs', { jobs: [] }, { apikey: 'operator-key' });
});

async function logIn(page: Page, secret = key): Promise<void> {
  await page.getByLabel('Admin token or API key').fill(secret);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Log in' }).waitFor({ state: 'detached' });
}

const rows = (page: Page) => rowLinks(page, 'Requests');
/** Returns the projects of the menu, without "All projects" and the counts. */
const offered = async (page: Page): Promise<readonly string[]> => {
  const menu = await openProjects(page);
  const titles = await textsOf(menu.getByRole('option'));
  await page.keyboard.press('Escape');
  return titles.slice(1).map((text) => text.replace(/ \d+$/, ''));
};

describe.skipIf(noBrowser)('a partner', () => {
  test('sees the requests and projects of the key only, and those that arrive', async () => {
    const page = await browser.open(sandbox.url(), '/live');
    await logIn(page);
    await expect.poll(() => rows(page).count()).toBe(2);
    await expect.poll(() => offered(page)).toEqual(['acme-1', 'acme-2']);
    await page.getByText('Acme: acme-*').first().waitFor();
    await connection(page, 'live').waitFor();
    await importOrder('rival-1', 'rival-key', 'RIVAL-2');
    await importOrder('acme-1', key, 'ACME-2');
    await expect.poll(() => rows(page).count()).toBe(3);
    expect(await page.content()).not.toMatch(/\brival/i);
    expect(await findBarriers(page)).toEqual([]);
    await page.reload();
    await expect.poll(() => rows(page).count()).toBe(3);
  });

  test('finds no other project on any screen, and no error on the own ones', { timeout: 60_000 }, async () => {
    const page = await browser.open(sandbox.url(), '/live');
    await logIn(page);
    for (const screen of screenNames) {
      await show(page, `/${screen}?project=acme-1`);
      await heading(page, screens[screen]).waitFor();
      await browser.settle(page);
      expect(await page.content(), screen).not.toMatch(/\brival/i);
      expect(await page.getByRole('alert').allTextContents(), screen).toEqual([]);
    }
  });

  test('chooses one of the own projects to activate a new scenario', async () => {
    const page = await browser.open(sandbox.url(), '/scenarios?edit=new');
    await logIn(page);
    await page.getByLabel('Project', { exact: true }).selectOption('acme-1');
    await page.getByRole('button', { name: 'Activate for acme-1' }).click();
    await page.getByText('Activated my-scenario for acme-1.').waitFor();
    await sandbox.control('PUT', '/projects/acme-1/scenarios', { scenarios: [] }, admin);
  });

  test('is told what a foreign project is, and sees nothing of it', async () => {
    const page = await browser.open(sandbox.url(), '/records?project=rival-1&collection=orders');
    await logIn(page);
    await page.getByText('Your API key does not open project rival-1. Your API key opens: acme-*.').waitFor();
    await page.getByRole('alert').getByText('this API key is for another project').waitFor();
    expect(await page.content()).not.toContain('RIVAL-ORDER');
  });

  test('resets the own project, and has no button for all projects or the library', async () => {
    const page = await browser.open(sandbox.url(), '/clock?project=acme-1');
    await logIn(page);
    await page.getByRole('button', { name: 'Reset acme-1…' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Reset all projects…' }).count()).toBe(0);
    await show(page, '/scenarios?project=acme-1');
    const ofProject = page.getByRole('switch', { name: 'outage for acme-1' });
    await ofProject.click();
    await expect.poll(() => ofProject.getAttribute('aria-checked')).toBe('true');
    expect(await page.getByRole('switch', { name: /for all projects/ }).count()).toBe(0);
    // A scenario of the key is active without being in the library.
    await page.getByRole('button', { name: 'New scenario' }).click();
    await page.getByRole('button', { name: 'Activate for acme-1' }).click();
    await page.getByText('Activated my-scenario for acme-1.').waitFor();
    expect(await page.getByRole('button', { name: /^Save/ }).count()).toBe(0);
  });

  test('uses the key in the first request until the page is loaded again', async () => {
    const page = await browser.open(sandbox.url(), '/connect?project=acme-1');
    await logIn(page);
    await page.getByText(`apikey: ${key}`).first().waitFor();
    await page.reload();
    await page.getByText('This sandbox has its own API keys and never shows them.').waitFor();
    expect(await page.content()).not.toContain(key);
  });

  test('logs out, and the admin then sees all projects', async () => {
    const page = await browser.open(sandbox.url(), '/live');
    await logIn(page);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await projectButton(page).count()).toBe(0);
    await logIn(page, adminToken);
    await expect.poll(() => offered(page)).toContain('rival-1');
    expect(await page.getByRole('button', { name: 'Log out' }).count()).toBe(0);
  });

  test('leaves nothing that was entered to the next user', async () => {
    const page = await browser.open(sandbox.url(), '/connect?project=acme-1');
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
  });

  test('has to log in again as soon as the key is deleted', async () => {
    const { id, key: short } = await createKey();
    const page = await browser.open(sandbox.url(), '/live');
    await logIn(page, short);
    await connection(page, 'live').waitFor();
    await sandbox.control('DELETE', `/keys/${id}`, undefined, admin);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await page.content()).not.toContain('acme');
    expect(id).not.toBe(keyId);
  });
});
