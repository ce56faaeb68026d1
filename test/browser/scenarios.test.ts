/** A tester activates scenarios for a project, sees their rules fire, and writes scenarios: as text, from a request, and from the catalog. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

/** Sends as a client does, because the document need not declare the response of a scenario. */
async function importOrder(): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${sandbox.url()}/sync/projects/${project}/orders`, {
    method: 'POST',
    headers: { apikey: 'sandbox-key', 'content-type': 'application/json' },
    body: '{"orders":[{"id":"O-1"}]}',
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

const active = async () =>
  (await sandbox.control('GET', `/projects/${project}/scenarios`)).body.scenarios as readonly string[];
const open = (query = '') => browser.open(sandbox.url(), `/scenarios?project=${project}${query}`);
const activeSection = (page: Page) => page.getByRole('region', { name: `Active scenarios of ${project}` });
const toggle = (page: Page, name: string) => page.getByRole('switch', { name: `${name} for ${project}` });
const editor = (page: Page) => page.getByLabel('Scenario text');
const cells = async (page: Page) => {
  const all = await page.getByRole('region', { name: 'Rules' }).locator('tbody td').allTextContents();
  return all.map((text) => text.replaceAll(/\s+/g, ' ').trim());
};

const toText = (name: string, status: number) => `name: ${name}
description: Orders are down.
rules:
  - name: down
    when: { operation: syncImportOrders }
    then: { respond: { status: ${status} } }
    times: 2
`;

describe.skipIf(noBrowser)('the library', () => {
  test('renders text between backticks as code', async () => {
    const page = await open('&q=duplicated-callbacks');
    const card = page.getByRole('listitem').filter({ hasText: 'duplicated-callbacks' });
    await card.locator('p code', { hasText: 'webhook-id' }).first().waitFor();
    expect(await card.textContent()).not.toContain('`');
  });

  test('is searched, and its scenarios are activated, ordered and deactivated for the project', async () => {
    const page = await open();
    await page.getByLabel('Search scenarios').fill('flak');
    await toggle(page, 'flaky').click();
    await expect.poll(() => toggle(page, 'flaky').getAttribute('aria-checked')).toBe('true');
    expect(await active()).toEqual(['flaky']);
    await page.getByLabel('Search scenarios').fill('');
    await toggle(page, 'outage').focus();
    await page.keyboard.press('Space');
    await expect.poll(active).toEqual(['outage', 'flaky']);

    const order = activeSection(page).locator('ol').getByRole('link');
    await expect.poll(() => order.allTextContents()).toEqual(['outage', 'flaky']);
    await activeSection(page).getByRole('button', { name: 'Move flaky up' }).click();
    await expect.poll(() => order.allTextContents()).toEqual(['flaky', 'outage']);
    expect(await active()).toEqual(['flaky', 'outage']);
    // The focus stays on the pressed button.
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Move flaky up');
    await activeSection(page).getByRole('button', { name: 'Deactivate flaky' }).click();
    await expect.poll(active).toEqual(['outage']);
    await toggle(page, 'outage').click();
    await expect.poll(active).toEqual([]);
    await activeSection(page).getByText('No active scenarios.').waitFor();
  });

  test('activates scenarios for all projects, including future ones', async () => {
    const page = await open();
    const forAll = page.getByRole('switch', { name: 'outage for all projects' });
    await forAll.click();
    await expect.poll(() => forAll.getAttribute('aria-checked')).toBe('true');
    expect((await sandbox.control('GET', '/server-scenarios')).body.scenarios).toEqual(['outage']);
    await activeSection(page).getByText('All projects (lower priority): outage').waitFor();
    expect(await active()).toEqual([]);
    await page.goto(`${sandbox.url()}/_sandbox/#/scenarios`);
    await page.reload();
    await expect.poll(() => forAll.getAttribute('aria-checked')).toBe('true');
    await forAll.click();
    await expect.poll(() => forAll.getAttribute('aria-checked')).toBe('false');
    expect((await sandbox.control('GET', '/server-scenarios')).body.scenarios).toEqual([]);
  });

  test('counts how often each rule fired, and shows when it is used up', async () => {
    const name = `orders-down-${project}`;
    await sandbox.control('PUT', `/scenarios/${name}`, toText(name, 503), { 'content-type': 'application/yaml' });
    await importOrder();
    const page = await open();
    await toggle(page, name).click();
    await expect.poll(() => cells(page)).toEqual([name, 'down', '0', '0', '2']);
    expect((await importOrder()).status).toBe(503);
    await expect.poll(() => cells(page)).toEqual([name, 'down', '1', '1', '1']);
    expect((await importOrder()).status).toBe(503);
    expect((await importOrder()).status).toBe(200);
    await expect.poll(() => cells(page)).toEqual([name, 'down', '3', '2', 'used up']);
    const { rules } = (await sandbox.control('GET', `/projects/${project}/scenarios`)).body;
    expect(rules).toContainEqual(expect.objectContaining({ scenario: name, met: 3, acted: 2, left: 0 }));
    await activeSection(page).getByRole('button', { name: 'Reset counters' }).click();
    await expect.poll(() => cells(page)).toEqual([name, 'down', '0', '0', '2']);
    expect((await importOrder()).status).toBe(503);

    await activeSection(page).getByRole('link', { name: '1', exact: true }).click();
    await expect.poll(() => page.getByRole('grid', { name: 'Requests' }).getByRole('link').count()).toBe(3);
  });
});

describe.skipIf(noBrowser)('the editor', () => {
  test("shows the parser's errors at their lines, keeps the text, saves and activates it", async () => {
    const name = `typed-${project}`;
    const page = await open('&view=editor&edit=new');
    const wrong = toText(name, 503).replace('syncImportOrders', 'syncImportOrder').replace('times: 2', 'times: often');
    await editor(page).fill(wrong);
    await page.keyboard.press('Control+s');
    const { errors } = (
      await sandbox.control('PUT', `/scenarios/${name}`, wrong, { 'content-type': 'application/yaml' })
    ).body as { errors: readonly { message: string }[] };
    expect(errors).toHaveLength(2);
    await expect.poll(() => page.locator('.errors li').count()).toBe(2);
    for (const [index, { message }] of errors.entries()) {
      const [, line, column, said] = /^(\d+):(\d+) (.*)$/s.exec(message) ?? [];
      expect(await page.locator('.errors li').nth(index).textContent()).toMatch(`Line ${line}, column ${column}`);
      expect(await page.locator('.errors li').nth(index).textContent()).toMatch(said ?? '');
    }
    expect(await page.locator('.numbers .bad').allTextContents()).toEqual(['5', '7']);
    expect(await editor(page).inputValue()).toBe(wrong);
    expect((await sandbox.control('GET', `/scenarios/${name}`)).status).toBe(404);
    await page.getByRole('button', { name: 'Line 7' }).click();
    expect(await page.evaluate('document.activeElement.value.slice(document.activeElement.selectionStart)')).toBe(
      'often\n',
    );

    // The text is kept while another screen is open.
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
    await page.goBack();
    await expect.poll(() => editor(page).inputValue()).toBe(wrong);
    await editor(page).fill(toText(name, 503));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(`Saved ${name}.`).waitFor();
    expect(page.url()).toContain(`edit=${name}`);
    expect((await sandbox.control('GET', `/scenarios/${name}`)).body.text).toBe(toText(name, 503));
    expect(await active()).toEqual([]);

    await editor(page).fill(toText(name, 418));
    await page.getByText('not saved', { exact: true }).waitFor();
    await page.getByRole('button', { name: `Save and activate for ${project}` }).click();
    await page.getByText(`Activated ${name} for ${project}.`).waitFor();
    expect(await active()).toEqual([name]);
    expect((await importOrder()).status).toBe(418);
  });

  test('creates a scenario from a request, which sends the same response', async () => {
    const refused = await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: 1 });
    const id = String(refused.headers['x-request-id']);
    const page = await browser.open(sandbox.url(), `/live?project=${project}&request=${id}`);
    await page.getByRole('button', { name: 'Create scenario from this' }).click();
    await expect.poll(() => editor(page).inputValue()).toContain(`with the response of request ${id}.`);
    await page.getByRole('button', { name: 'Save and activate' }).click();
    await expect.poll(async () => (await active()).length).toBe(1);
    const again = await importOrder();
    expect([again.status, again.body]).toEqual([refused.status, refused.body]);
  });
});

describe.skipIf(noBrowser)('the catalog', () => {
  test('lists every failure of an operation, and an activated failure occurs', async () => {
    const { items } = (await sandbox.control('GET', '/catalog')).body as {
      items: readonly { operation: string; failures: readonly { kind: string }[] }[];
    };
    const kinds = items.find(({ operation }) => operation === 'syncImportOrders')?.failures.map(({ kind }) => kind);
    const page = await open();
    await page.getByRole('tab', { name: 'Failure catalog' }).click();
    await page.getByLabel('Operation').selectOption('syncImportOrders');
    await expect.poll(() => page.locator('main h2').allTextContents()).toEqual(kinds);
    await page.getByLabel('Search').fill('503');
    const entry = page.getByRole('listitem').filter({ hasText: '503' }).first();
    await entry.getByRole('button', { name: `Activate for ${project}` }).click();
    await page.getByText(`activated it for ${project}.`).waitFor();
    expect(await active()).toEqual([expect.stringMatching(/^syncimportorders-/)]);
    expect((await importOrder()).status).toBe(503);
  });
});
