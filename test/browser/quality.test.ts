/** One screen shows what went wrong, and what the integration has met and has not. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { itemWith, main, textOf } from './page.ts';

const sandbox = useSandbox();
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const importJobs = (...ids: readonly string[]) =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) });
const open = (query = '') => browser.open(sandbox.url(), `/quality?project=${project}${query}`);
const tab = (page: Page, name: string) => page.getByRole('navigation', { name: 'Quality' }).getByRole('link', { name });
/** Returns the texts of the tabs, the shown one marked. */
const tabs = async (page: Page) => {
  const links = await page.getByRole('navigation', { name: 'Quality' }).getByRole('link').all();
  return Promise.all(
    links.map(
      async (one) => `${await textOf(one)}${(await one.getAttribute('aria-current')) === 'page' ? ' (shown)' : ''}`,
    ),
  );
};
const rowOf = (page: Page, operation: string) =>
  page.getByRole('row').filter({ has: page.getByText(operation, { exact: true }) });
const itemsOf = (page: Page) => page.getByRole('list', { name: /^Failures of / });
const itemOf = (page: Page, kind: string) => itemWith(page, itemsOf(page), kind);

describe.skipIf(noBrowser)('the tabs', () => {
  test('have a link each, and old links open them with all their parameters', async () => {
    await importJobs('J-1');
    const page = await open();
    await expect.poll(() => tabs(page)).toContainEqual(expect.stringMatching(/^Problems.* \(shown\)$/));
    await page.getByLabel('Search problems').waitFor();
    await tab(page, 'Coverage').click();
    await page.getByRole('heading', { name: 'Operations' }).waitFor();
    await expect.poll(() => page.url()).toContain('tab=coverage');
    await page.goto(`${sandbox.url()}/_sandbox/#/problems?project=${project}&q=none&show=warnings`);
    await expect.poll(() => page.getByLabel('Search problems').inputValue()).toBe('none');
    await expect.poll(() => page.getByRole('button', { name: 'Warnings' }).getAttribute('aria-pressed')).toBe('true');
  });

  test('show the number of problems that the page lists, and the navigation shows no other', async () => {
    await importJobs('J-1', 'J-1');
    await importJobs('J-1');
    await sandbox.api('POST', `/async/project/${project}/jobs`, { jobs: [] });
    const page = await open('&tab=problems');
    const problems = page.getByRole('list', { name: 'Problems' }).getByRole('listitem');
    const numbers = async () => {
      const count = await problems.count();
      const said = await page.getByText(`${count} of ${count} problems`).count();
      return { several: count > 1, tab: (await tabs(page)).includes(`Problems ${count} (shown)`), said };
    };
    // Together, because problems of entries are added after their requests.
    await expect.poll(numbers).toEqual({ several: true, tab: true, said: 1 });
    const count = await problems.count();
    await tab(page, 'Coverage').click();
    await expect.poll(async () => (await tab(page, 'Problems').textContent())?.trim()).toBe(`Problems ${count}`);
    const link = page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Quality' });
    expect((await link.textContent())?.trim()).toBe('Quality');
  });
});

describe.skipIf(noBrowser)('the next step of a problem', () => {
  const stepsOf = (page: Page, problem: string) =>
    page.getByRole('list', { name: 'Problems' }).getByRole('listitem').filter({ hasText: problem }).getByRole('link');

  test.each([
    ['an operation', 'DELIVERD', 'Read asyncImportJobs', 'reference?project=P&operation=asyncImportJobs'],
    ['the record', 'exists already', 'All events of O-1', 'entity?project=P&id=O-1'],
    ['the record that is unknown', 'is unknown', 'All events of J-9', 'entity?project=P&id=J-9'],
    ['the request', 'is not JSON', 'Open the latest request', 'live?project=P&request=req_'],
    ['the scenario', 'responded with 503', 'Active scenarios', 'scenarios?project=P&q=maintenance'],
  ])('opens %s', async (_what, problem, text, target) => {
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-1', status: 'DELIVERD' }] });
    const create = () => sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'O-1' }] });
    await create();
    await create();
    await sandbox.api('PATCH', `/sync/projects/${project}/jobs`, { id: 'J-9', status: 'DELIVERED' });
    await sandbox.api('POST', `/async/projects/${project}/jobs`, '{');
    // The body of the scenario's response is not that of the document.
    const headers = { apikey: 'sandbox-key', 'content-type': 'application/json', 'x-sandbox-scenario': 'maintenance' };
    await fetch(`${sandbox.url()}/async/projects/${project}/orders`, {
      method: 'POST',
      headers,
      body: '{"orders":[]}',
    });
    const page = await open('&tab=problems');
    const link = stepsOf(page, problem).filter({ hasText: text }).first();
    await expect.poll(() => link.getAttribute('href')).toContain(`#/${target.replace('=P&', `=${project}&`)}`);
  });

  test('opens the nearest operation of a path that does not exist', async () => {
    const lost = await sandbox.api('POST', `/async/project/${project}/jobs`, { jobs: [] });
    const page = await open(`&tab=problems&q=${lost.headers['x-request-id']}`);
    const link = stepsOf(page, 'no operation has this path').first();
    expect(await link.getAttribute('href')).toContain('operation=asyncImportJobs');
  });
});

describe.skipIf(noBrowser)('coverage', () => {
  test('shows what was met, with the first request of each failure', async () => {
    const refused = await importJobs('J-1', 'REFUSE-1');
    const page = await open('&tab=coverage');
    const row = rowOf(page, 'asyncImportJobs');
    await row.getByText('1 of 26').waitFor();
    expect(await rowOf(page, 'updateUser').getByRole('link', { name: 'Call it' }).getAttribute('href')).toBe(
      `#/reference?project=${project}&operation=updateUser`,
    );
    await row.getByRole('button', { name: 'asyncImportJobs' }).click();
    await itemOf(page, 'refused').getByText('1 time').waitFor();
    const link = itemOf(page, 'refused').getByRole('link', { name: 'First request' });
    expect(await link.getAttribute('href')).toContain(`request=${refused.headers['x-request-id']}`);
    await row.getByRole('button', { name: 'asyncImportJobs' }).click();
    await expect.poll(() => itemsOf(page).count()).toBe(0);
  });

  test('activates the scenario of a failure that was not met, and counts it when the client meets it', async () => {
    await importJobs('J-1');
    const page = await open('&tab=coverage&op=asyncImportJobs&met=no');
    // A scenario of the catalog, without a change of the library.
    await itemOf(page, 'status-413')
      .getByRole('button', { name: `Activate for ${project}` })
      .click();
    await page.getByText(`status-413 is active for ${project}. Now call asyncImportJobs.`).waitFor();
    expect((await sandbox.control('GET', '/scenarios/asyncimportjobs-status-413')).status).toBe(404);
    expect((await importJobs('J-2')).status).toBe(413);
    await expect.poll(() => itemOf(page, 'status-413').count()).toBe(0);
    await page.getByRole('button', { name: 'Met', exact: true }).click();
    await itemOf(page, 'status-413').getByText('1 time').waitFor();
    // A shipped scenario.
    await page.getByRole('button', { name: 'Not met', exact: true }).click();
    await itemOf(page, 'status-503').getByRole('button', { name: 'Copy id' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('ERROR-503-1');
    await itemOf(page, 'status-502')
      .getByRole('button', { name: `Activate for ${project}` })
      .click();
    await page.getByText(`status-502 is active for ${project}.`).waitFor();
    const { body } = await sandbox.control('GET', `/projects/${project}/scenarios`);
    expect(body.scenarios).toEqual(['bad-gateway', 'asyncimportjobs-status-413']);
  });

  test('lists the conditions of callbacks, with the way to meet each', async () => {
    await importJobs('J-1');
    const page = await open('&tab=coverage&op=jobs.import.failed');
    await itemOf(page, 'delivered').getByRole('link', { name: 'Set the receiver' }).waitFor();
    await itemOf(page, 'callback-delay')
      .getByRole('button', { name: `Activate for ${project}` })
      .click();
    await page.getByText('Now let an entry fail.').waitFor();
    const { body } = await sandbox.control('GET', `/projects/${project}/scenarios`);
    expect(body.scenarios).toEqual(['late-callbacks']);
  });

  const areas = (page: Page) => main(page).getByRole('button', { expanded: false });

  test('is searched by operation and by failure, and the next step opens what is missing', async () => {
    await importJobs('J-1');
    const page = await open('&tab=coverage');
    await page.getByLabel('Search coverage').fill('locations');
    await expect.poll(() => areas(page).count()).toBe(2);
    await page.getByLabel('Search coverage').fill('status-503');
    await expect.poll(() => areas(page).count()).toBe(29);
    await page.getByLabel('Search coverage').fill('nothing such');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rowOf(page, 'asyncImportJobs').getByRole('button', { name: 'Meet refused' }).click();
    await itemOf(page, 'refused').waitFor();
    await expect.poll(() => page.url()).toContain('op=asyncImportJobs');
  });
});
