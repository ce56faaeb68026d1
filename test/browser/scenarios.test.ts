/** A tester finds, activates, orders and removes scenarios and single failures in one list. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { bodyRows, focused, heading, scenarioContains, show, textOf, textsOf } from './page.ts';

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
const activeSection = (page: Page) => page.getByRole('region', { name: `Active in ${project}` });
const toggle = (page: Page, name: string) => page.getByRole('switch', { name: `${name} for ${project}`, exact: true });
const row = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });
/** The texts of the active rules: name, matched, fired and left. */
const rules = async (page: Page) =>
  (await textsOf(page.getByRole('region', { name: 'Rules' }).getByRole('cell'))).slice(0, 4);
const putScenario = (name: string, text: string) =>
  sandbox.control('PUT', `/scenarios/${name}`, text, { 'content-type': 'application/yaml' });

const toText = (name: string, status: number) => `name: ${name}
description: Orders are down.
rules:
  - name: down
    when: { operation: syncImportOrders }
    then: { respond: { status: ${status} } }
    times: 2
`;

describe.skipIf(noBrowser)('the list of scenarios', () => {
  test('renders text between backticks as code', async () => {
    const page = await open();
    const about = row(page, 'duplicated-callbacks');
    await about.getByRole('code').filter({ hasText: 'webhook-id' }).first().waitFor({ state: 'attached' });
    expect(await about.textContent()).not.toContain('`');
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

    const order = activeSection(page).getByRole('rowheader').getByRole('link');
    await expect.poll(() => order.allTextContents()).toEqual(['outage', 'flaky']);
    await activeSection(page).getByRole('button', { name: 'Move flaky up' }).click();
    await expect.poll(() => order.allTextContents()).toEqual(['flaky', 'outage']);
    expect(await active()).toEqual(['flaky', 'outage']);
    // The focus stays on the pressed button.
    await expect.poll(() => focused(page)).toBe('Move flaky up');
    await page.getByRole('button', { name: 'Active', exact: true }).click();
    await expect.poll(() => page.getByRole('switch', { name: `for ${project}` }).count()).toBe(2);
    await activeSection(page).getByRole('button', { name: 'Deactivate flaky' }).click();
    await expect.poll(active).toEqual(['outage']);
    await toggle(page, 'outage').click();
    await expect.poll(active).toEqual([]);
    await activeSection(page).getByText('No active scenario.').waitFor();
  });

  test('activates scenarios for all projects, including future ones', async () => {
    const page = await open();
    const forAll = page.getByRole('switch', { name: 'outage for all projects' });
    await forAll.click();
    await expect.poll(() => forAll.getAttribute('aria-checked')).toBe('true');
    expect((await sandbox.control('GET', '/server-scenarios')).body.scenarios).toEqual(['outage']);
    await activeSection(page).getByRole('rowheader', { name: 'outage all projects' }).waitFor();
    expect(await active()).toEqual([]);
    await page.goto(`${sandbox.url()}/_sandbox/#/scenarios`);
    await page.reload();
    await expect.poll(() => forAll.getAttribute('aria-checked')).toBe('true');
    await forAll.click();
    await expect.poll(() => forAll.getAttribute('aria-checked')).toBe('false');
    expect((await sandbox.control('GET', '/server-scenarios')).body.scenarios).toEqual([]);
  });

  test('counts how often each rule fired, shows when it is used up, and links to the requests', async () => {
    const name = `orders-down-${project}`;
    await putScenario(name, toText(name, 503));
    await importOrder();
    const page = await open();
    await toggle(page, name).click();
    await expect.poll(() => rules(page)).toEqual(['down', '0', '0', '2']);
    expect((await importOrder()).status).toBe(503);
    await expect.poll(() => rules(page)).toEqual(['down', '1', '1', '1']);
    expect((await importOrder()).status).toBe(503);
    expect((await importOrder()).status).toBe(200);
    await expect.poll(() => rules(page)).toEqual(['down', '3', '2', 'used up']);
    await row(page, name).last().getByRole('link', { name: '2', exact: true }).waitFor();
    await activeSection(page).getByRole('button', { name: 'Reset counters' }).click();
    await expect.poll(() => rules(page)).toEqual(['down', '0', '0', '2']);
    expect((await importOrder()).status).toBe(503);
    await activeSection(page).getByRole('link', { name: '1', exact: true }).click();
    await expect.poll(() => page.url()).toContain(`scenario=${name}`);
  });

  test('duplicates a scenario, and deletes an own one after a question', async () => {
    const name = `own-${project}`;
    await putScenario(name, toText(name, 503));
    const page = await open('&group=own');
    await page.getByRole('button', { name: `Duplicate ${name}` }).click();
    await heading(page, 'New scenario').waitFor();
    await scenarioContains(page, `name: ${name}-copy`);
    await page.goBack();
    // Another copy would replace the unsaved one.
    await show(page, `/scenarios?project=${project}`);
    await page.getByRole('button', { name: 'Duplicate outage' }).click();
    const question = page.getByRole('dialog', { name: `Discard the unsaved ${name}-copy?` });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: `Continue the unsaved ${name}-copy` }).waitFor();
    await page.getByRole('button', { name: 'Duplicate outage' }).click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await scenarioContains(page, 'name: outage-copy');
    await page.goBack();
    await page.getByRole('button', { name: `Delete ${name}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(`Deleted ${name}.`).waitFor();
    expect((await sandbox.control('GET', `/scenarios/${name}`)).status).toBe(404);
    expect(await page.getByRole('button', { name: 'Delete outage' }).count()).toBe(0);
  });
});

describe.skipIf(noBrowser)('single failures', () => {
  test('of an operation are listed completely, and an activated failure occurs', async () => {
    const { items } = (await sandbox.control('GET', '/catalog')).body as {
      items: readonly { operation: string; failures: readonly { kind: string }[] }[];
    };
    const kinds = items.find(({ operation }) => operation === 'syncImportOrders')?.failures.map(({ kind }) => kind);
    const page = await open('&group=failures');
    await page.getByLabel('Operation').selectOption('syncImportOrders');
    const headers = page.getByRole('region', { name: 'Single failures table' }).getByRole('rowheader');
    await expect.poll(() => headers.getByRole('link').allTextContents()).toEqual(kinds);
    // Their descriptions begin as those of scenarios do.
    const rows = bodyRows(page.getByRole('region', { name: 'Single failures table' }));
    const about = await Promise.all((await rows.all()).map((one) => textOf(one.getByRole('cell').first())));
    expect(about.filter((text) => !/^[A-Z]/.test(text))).toEqual([]);
    await page.getByLabel('Search scenarios').fill('503');
    await toggle(page, 'syncimportorders-status-503').click();
    await expect.poll(active).toEqual(['syncimportorders-status-503']);
    expect((await importOrder()).status).toBe(503);
    // It is active inline, so the library stays as it is, and its name leads to its text.
    expect((await sandbox.control('GET', '/scenarios/syncimportorders-status-503')).status).toBe(404);
    await activeSection(page).getByRole('link', { name: 'syncimportorders-status-503' }).click();
    await scenarioContains(page, 'status: 503');
  });

  test('are found by earlier links to the catalog', async () => {
    const page = await open('&view=catalog&kind=callback-drop');
    const headers = page.getByRole('region', { name: 'Single failures table' }).getByRole('rowheader');
    await expect
      .poll(async () => new Set(await headers.getByRole('link').allTextContents()))
      .toEqual(new Set(['callback-drop']));
    expect(await headers.count()).toBeGreaterThan(1);
  });
});

test.skipIf(noBrowser)('a scenario that was given inline opens from a callback that it caused', async () => {
  const name = `inline-${project}`;
  const rules = [{ name: 'no street', then: { fail: 'No such street' } }];
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name, rules }] });
  await sandbox.freeze(project);
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-1' }] });
  await sandbox.advance(project);
  const [callback] = await sandbox.items(project, 'callbacks');
  for (const tab of ['overview', 'attempts']) {
    const route = `/callbacks?project=${project}&callback=${callback?.['id']}&detail=${tab}`;
    const page = await browser.open(sandbox.url(), route);
    await page.getByRole('complementary', { name: 'Callback' }).getByRole('link', { name }).click();
    await scenarioContains(page, 'No such street');
    await page.getByText('the library does not have it').waitFor();
  }
});

test.skipIf(noBrowser)('a scenario that was given inline opens with its text, and can be saved', async () => {
  const name = `inline-${project}`;
  const scenario = { name, rules: [{ when: { operation: 'syncImportOrders' }, then: { respond: { status: 418 } } }] };
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [scenario] });
  const page = await open();
  // What needs its text reads it from the project, because the library does not have it.
  const forAll = page.getByRole('switch', { name: `${name} for all projects` });
  const serverScenarios = async () => (await sandbox.control('GET', '/server-scenarios')).body.scenarios;
  await forAll.click();
  await expect.poll(serverScenarios).toEqual([name]);
  await expect.poll(() => forAll.getAttribute('aria-checked')).toBe('true');
  await forAll.click();
  await expect.poll(serverScenarios).toEqual([]);
  await page.getByRole('button', { name: `Duplicate ${name}` }).click();
  await scenarioContains(page, `name: ${name}-copy`);
  await page.goBack();
  await activeSection(page).getByRole('link', { name }).click();
  await scenarioContains(page, 'status: 418');
  await page.getByText('the library does not have it').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(`Saved ${name}.`).waitFor();
  expect((await sandbox.control('GET', `/scenarios/${name}`)).body.rules).toBe(1);
});
