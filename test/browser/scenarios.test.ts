/** A tester finds, activates and arms scenarios and single failures in one list. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { heading, scenarioContains, show, textsOf } from './page.ts';

const sandbox = useSandbox();
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

/** Sends as a client does, because the document need not declare the response of a scenario. */
async function importOrder(): Promise<number> {
  const { status } = await fetch(`${sandbox.url()}/sync/projects/${project}/orders`, {
    method: 'POST',
    headers: { apikey: 'sandbox-key', 'content-type': 'application/json' },
    body: '{"orders":[{"id":"O-1"}]}',
  });
  return status;
}

const active = async () =>
  (await sandbox.control('GET', `/projects/${project}/scenarios`)).body.scenarios as readonly string[];
const serverScenarios = async () => (await sandbox.control('GET', '/server-scenarios')).body.scenarios;
const open = (query = '') => browser.open(sandbox.url(), `/scenarios?project=${project}${query}`);
const activeSection = (page: Page) => page.getByRole('region', { name: `Active in ${project}` });
const toggle = (page: Page, name: string, of = project) =>
  page.getByRole('switch', { name: `${name} for ${of}`, exact: true });
/** The texts of the active rules: name, matched, fired and left. */
const rules = async (page: Page) =>
  (await textsOf(page.getByRole('region', { name: 'Rules' }).getByRole('cell'))).slice(0, 4);
const toText = (name: string, status: number) =>
  `name: ${name}\nrules:\n  - { name: down, when: { operation: syncImportOrders }, then: { respond: { status: ${status} } }, times: 2 }\n`;
const putScenario = (name: string) =>
  sandbox.control('PUT', `/scenarios/${name}`, toText(name, 503), { 'content-type': 'application/yaml' });

describe.skipIf(noBrowser)('the list of scenarios', () => {
  test('is searched, and its scenarios are activated and deactivated for the project, or for all', async () => {
    const page = await open();
    await activeSection(page).getByText('No active scenario.').waitFor();
    await page.getByLabel('Search scenarios').fill('flak');
    await toggle(page, 'flaky').click();
    await expect.poll(() => toggle(page, 'flaky').getAttribute('aria-checked')).toBe('true');
    await page.getByLabel('Search scenarios').fill('');
    await toggle(page, 'outage').focus();
    await page.keyboard.press('Space');
    await expect.poll(active).toEqual(['outage', 'flaky']);
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('checkbox', { name: 'active' }).check();
    await expect.poll(() => page.getByRole('switch', { name: `for ${project}` }).count()).toBe(2);
    await activeSection(page).getByRole('button', { name: 'Deactivate flaky' }).click();
    await expect.poll(active).toEqual(['outage']);
    await toggle(page, 'outage').click();
    await expect.poll(active).toEqual([]);

    await show(page, `/scenarios?project=${project}`);
    const forAll = toggle(page, 'outage', 'all projects');
    await forAll.click();
    await expect.poll(serverScenarios).toEqual(['outage']);
    await activeSection(page).getByRole('rowheader', { name: 'outage all projects' }).waitFor();
    await forAll.click();
    await expect.poll(serverScenarios).toEqual([]);
  });

  test('counts what each rule did, arms a scenario again that is used up, and links to the requests', async () => {
    const name = `orders-down-${project}`;
    await putScenario(name);
    await importOrder();
    const page = await open();
    await toggle(page, name).click();
    await expect.poll(() => rules(page)).toEqual(['down', '0', '0', '2']);
    expect(await importOrder()).toBe(503);
    await expect.poll(() => rules(page)).toEqual(['down', '1', '1', '1']);
    expect([await importOrder(), await importOrder()]).toEqual([503, 200]);
    await expect.poll(() => rules(page)).toEqual(['down', '3', '2', 'used up']);
    await activeSection(page).getByRole('button', { name: 'Arm again' }).click();
    await page.getByText(`${name} is armed again.`).waitFor();
    await expect.poll(() => rules(page)).toEqual(['down', '0', '0', '2']);
    expect(await importOrder()).toBe(503);
    await activeSection(page).getByRole('link', { name: '1', exact: true }).click();
    await expect.poll(() => page.url()).toContain(`scenario=${name}`);
  });

  test('duplicates a scenario, and deletes an own one after a question', async () => {
    const name = `own-${project}`;
    await putScenario(name);
    const page = await open('&group=own');
    await page.getByRole('button', { name: `Duplicate ${name}` }).click();
    await heading(page, 'Scenarios / New scenario').waitFor();
    await scenarioContains(page, `name: ${name}-copy`);
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
    expect(await page.getByRole('button', { name: 'Delete outage' }).count()).toBe(0);
    await page.getByRole('button', { name: `Delete ${name}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(`Deleted ${name}.`).waitFor();
    expect((await sandbox.control('GET', `/scenarios/${name}`)).status).toBe(404);
  });

  test('has the single failures of an operation, and an activated one occurs', async () => {
    const { items } = (await sandbox.control('GET', '/catalog')).body as {
      items: readonly { operation: string; failures: readonly { kind: string }[] }[];
    };
    const kinds = items.find(({ operation }) => operation === 'syncImportOrders')?.failures.map(({ kind }) => kind);
    const page = await open('&group=failures');
    await page.getByLabel('Operation of single failures').selectOption('syncImportOrders');
    const headers = page.getByRole('region', { name: 'Single failures table' }).getByRole('rowheader');
    await expect.poll(() => textsOf(headers)).toEqual(kinds);
    await page.getByLabel('Search scenarios').fill('503');
    await toggle(page, 'syncimportorders-status-503').click();
    await expect.poll(active).toEqual(['syncimportorders-status-503']);
    expect(await importOrder()).toBe(503);
    // The library stays as it is, and the name leads to the text.
    expect((await sandbox.control('GET', '/scenarios/syncimportorders-status-503')).status).toBe(404);
    await activeSection(page).getByRole('link', { name: 'syncimportorders-status-503' }).click();
    await scenarioContains(page, '"status": 503');
    await show(page, `/scenarios?project=${project}&op=syncImportOrders&q=status-502`);
    await headers.getByRole('link', { name: 'status-502' }).click();
    await scenarioContains(page, 'name: syncimportorders-status-502');
  });
});

test.skipIf(noBrowser)(
  'a scenario that was given inline opens from its callback, for all projects, and is saved',
  async () => {
    const name = `inline-${project}`;
    const scenario = { name, rules: [{ name: 'no street', then: { fail: 'No such street' } }] };
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [scenario] });
    await sandbox.freeze(project);
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-1' }] });
    await sandbox.advance(project);
    const page = await open();
    // What needs its text reads it from the project, because the library does not have it.
    await toggle(page, name, 'all projects').click();
    await expect.poll(serverScenarios).toEqual([name]);
    await toggle(page, name, 'all projects').click();
    await expect.poll(serverScenarios).toEqual([]);
    const [callback] = await sandbox.items(project, 'callbacks');
    await show(page, `/callbacks?project=${project}&callback=${callback?.['id']}`);
    await page.getByRole('complementary', { name: 'Callback' }).getByRole('link', { name }).click();
    await scenarioContains(page, 'No such street');
    await page.getByText('the library does not have it').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(`Saved ${name}.`).waitFor();
    expect((await sandbox.control('GET', `/scenarios/${name}`)).body.rules).toBe(1);
  },
);
