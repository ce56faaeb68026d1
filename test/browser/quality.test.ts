/** One screen shows what went wrong, with the next step for each, and what the clients have met of the API. */
import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { itemWith, rowLinks, textsOf } from './page.ts';

const sandbox = useSandbox();
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const importJobs = (...jobs: readonly unknown[]) => sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });
const importOrders = (...orders: readonly unknown[]) =>
  sandbox.api('POST', `/sync/projects/${project}/orders`, { orders });
const open = (query = '') => browser.open(sandbox.url(), `/quality?project=${project}${query}`);
const tab = (page: Page, name: string) => page.getByRole('navigation', { name: 'Quality' }).getByRole('link', { name });
const listed = (page: Page, list = 'Problems') =>
  page.getByRole('list', { name: list, exact: true }).getByRole('listitem');
const problem = (page: Page, text: string): Locator => listed(page).filter({ hasText: text });

describe.skipIf(noBrowser)('problems', () => {
  test('have a cause, a count, the latest message, advice, and links to exactly their requests', async () => {
    const first = await importJobs({ id: 'J-1', status: 'DELIVERD' }, { id: 'J-2', status: 'DONE' });
    const second = await importJobs({ id: 'J-3', status: 'ARIVING' });
    const other = await importJobs({ id: 5 });
    const page = await open();
    await expect.poll(() => listed(page).count()).toBe(2);
    await page.getByText('2 of 2 problems').waitFor();
    const [text] = await textsOf(problem(page, 'wrong value'));
    for (const part of ['asyncImportJobs', 'entry failed', '3 events in 2 requests']) expect(text).toContain(part);
    expect(text).toContain('status expected one of PENDING');
    expect(text).toContain('got "ARIVING", did you mean ARRIVING?');
    expect(text).toContain('Send one of the expected values, in the same spelling.');

    const show = problem(page, 'wrong value').getByRole('link', { name: 'Show its 2 requests' });
    const [wanted, others] = [[second, first], [other]].map((all) => all.map(({ headers }) => headers['x-request-id']));
    const ids = async () => (await textsOf(rowLinks(page, 'Requests'))).map((one) => one.split(' ').at(-1));
    await show.click();
    await expect.poll(ids).toEqual(wanted);
    await page.reload();
    await expect.poll(ids).toEqual(wanted);
    await page.goBack();
    await problem(page, 'wrong type').getByRole('link', { name: 'Show its request' }).click();
    await expect.poll(ids).toEqual(others);
    await page.goBack();
    await problem(page, 'wrong type').getByRole('link', { name: 'Latest' }).click();
    await page.getByRole('complementary', { name: 'Request' }).waitFor();
  });

  test('that a scenario caused on purpose are folded; all are filtered and searched in the URL', async () => {
    await importJobs({ id: 'J-1', colour: 'red' });
    await importJobs({ id: 5 });
    const rules = [{ when: { operation: 'syncImportOrders' }, then: { respond: { status: 500 } }, times: 1 }];
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'orders-down', rules }] });
    await importOrders({ id: 'O-1' });
    // Old links open the tab.
    const page = await browser.open(sandbox.url(), `/problems?project=${project}`);
    await page.getByText('3 of 3 problems').waitFor();
    expect(await listed(page).count()).toBe(2);
    const caused = listed(page, 'Problems caused by scenarios');
    expect(await caused.count()).toBe(0);
    await page.getByText('1 problem caused by scenarios on purpose').click();
    await caused.getByText('orders-down').waitFor();
    const link = caused.getByRole('link', { name: 'Active scenarios' });
    expect(await link.getAttribute('href')).toContain(`#/scenarios?project=${project}&q=orders-down`);

    await page.getByRole('button', { name: 'Severity' }).click();
    await page.getByRole('checkbox', { name: 'warning 1' }).check();
    await page.getByText('1 of 3 problems').waitFor();
    await page.reload();
    await expect.poll(() => textsOf(listed(page))).toEqual([expect.stringContaining('unknown field "colour"')]);
    await page.getByLabel('Search problems').fill('nothing such');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('3 of 3 problems').waitFor();
    await page.getByLabel('Search problems').fill('COLOUR');
    await page.getByText('1 of 3 problems').waitFor();
    await expect.poll(() => page.url()).toContain('q=COLOUR');
  });

  test('appear when they occur, also those reported by callback, and disappear with a reset', async () => {
    await sandbox.freeze(project);
    await importOrders({ id: 'O-1' });
    const page = await open();
    await page.getByText('No problems found').waitFor();
    await importJobs({ id: 'FAIL-GEOCODE-1' });
    await sandbox.advance(project, '10s');
    await page.getByText('1 of 1 problem').waitFor();
    await importOrders({ id: 'O-1' });
    await problem(page, 'the order exists already').getByText('1 request').waitFor();
    await importOrders({ id: 'O-1' });
    await problem(page, 'the order exists already').getByText('2 requests').first().waitFor();
    await sandbox.control('POST', `/projects/${project}/reset`);
    await page.getByText('No requests yet').waitFor();
  });

  test('lead to the place where each is solved, also of requests that reach no project', async () => {
    await importJobs({ id: 'J-1', status: 'DELIVERD' });
    await importOrders({ id: 'O-1' });
    await importOrders({ id: 'O-1' });
    await sandbox.api('PATCH', `/sync/projects/${project}/jobs`, { id: 'J-9', status: 'DELIVERED' });
    await sandbox.api('POST', `/async/projects/${project}/jobs`, '{');
    await sandbox.api('POST', `/async/projects/${project}/job`, { jobs: [] });
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [] }, { apikey: 'wrong' });
    const page = await open();
    for (const [text, step, target] of [
      ['wrong value', 'Read asyncImportJobs', `reference?project=${project}&operation=asyncImportJobs`],
      ['no operation has this path', 'Read asyncImportJobs', 'operation=asyncImportJobs'],
      ['exists already', 'All events of O-1', `entity?project=${project}&id=O-1`],
      ['is unknown', 'All events of J-9', `entity?project=${project}&id=J-9`],
      ['is not JSON', 'Open the latest request', `live?project=${project}&request=req_`],
      ['unknown key', 'See the API key', 'connect'],
    ] as const) {
      const link = problem(page, text).getByRole('link', { name: step });
      await expect.poll(() => link.getAttribute('href')).toContain(target);
    }
  });
});

describe.skipIf(noBrowser)('coverage', () => {
  const rowOf = (page: Page, operation: string) =>
    page.getByRole('row').filter({ has: page.getByText(operation, { exact: true }) });
  const itemOf = (page: Page, kind: string) => itemWith(page, page.getByRole('list', { name: /^Failures of / }), kind);

  test('is relative to the operations that were used, and agrees with the requests', async () => {
    const refused = await importJobs({ id: 'J-1' }, { id: 'REFUSE-1' });
    const page = await open();
    await tab(page, 'Coverage').click();
    await page.getByText('1 of 29 operations used: 1 of 26 failures met').waitFor();
    const row = rowOf(page, 'asyncImportJobs');
    await row.getByText('1 of 26').waitFor();
    await page.getByText('28 operations not used').click();
    const link = page.getByRole('link', { name: 'updateUser', exact: true });
    expect(await link.getAttribute('href')).toContain('operation=updateUser');
    await row.getByRole('button', { name: 'asyncImportJobs' }).click();
    await itemOf(page, 'refused').getByText('1 time').waitFor();
    const first = itemOf(page, 'refused').getByRole('link', { name: 'First request' });
    expect(await first.getAttribute('href')).toContain(`request=${refused.headers['x-request-id']}`);
    await row.getByRole('button', { name: 'asyncImportJobs' }).click();
    await expect.poll(() => itemOf(page, 'refused').count()).toBe(0);
  });

  test('activates the scenario of a failure that was not met, and counts it when the client meets it', async () => {
    await importJobs({ id: 'J-1' });
    const page = await open('&tab=coverage&op=asyncImportJobs&met=no');
    const activate = (kind: string) => itemOf(page, kind).getByRole('button', { name: `Activate for ${project}` });
    await activate('status-413').click();
    await page.getByText(`status-413 is active for ${project}. Now call asyncImportJobs.`).waitFor();
    expect((await importJobs({ id: 'J-2' })).status).toBe(413);
    await expect.poll(() => itemOf(page, 'status-413').count()).toBe(0);
    await itemOf(page, 'status-503').getByRole('button', { name: 'Copy id' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('ERROR-503-1');
    await activate('status-502').click();
    await page.getByText(`status-502 is active for ${project}.`).waitFor();
    const { body } = await sandbox.control('GET', `/projects/${project}/scenarios`);
    expect(body.scenarios).toEqual(['bad-gateway', 'asyncimportjobs-status-413']);
  });

  test('has the conditions of callbacks, is searched, and leads to what is missing', async () => {
    await sandbox.freeze(project);
    await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: 'http://127.0.0.1:9/' });
    await importJobs({ id: 'FAIL-1' });
    await sandbox.advance(project);
    const page = await open('&tab=coverage');
    await rowOf(page, 'jobs.import.failed').getByRole('button', { name: 'jobs.import.failed' }).click();
    await itemOf(page, 'delivered').getByRole('link', { name: 'Set the receiver' }).waitFor();
    await itemOf(page, 'callback-delay').getByRole('button', { name: 'Activate for' }).click();
    await page.getByText('Now let an entry fail.').waitFor();
    await page.getByLabel('Search coverage').fill('callback-delay');
    await expect.poll(() => rowOf(page, 'asyncImportJobs').count()).toBe(0);
    expect(await rowOf(page, 'jobs.import.failed').count()).toBe(1);
    await page.getByLabel('Search coverage').fill('nothing such');
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await rowOf(page, 'asyncImportJobs').getByRole('button', { name: 'Meet refused' }).click();
    await itemOf(page, 'refused').waitFor();
    await expect.poll(() => page.url()).toContain('op=asyncImportJobs');
  });
});
