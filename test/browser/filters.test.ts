/** The filters of the requests: menus with the counts of the sandbox, whose values are in the link. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { findBarriers, noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { focused, rowLinks } from './page.ts';

const sandbox = useSandbox();
const browser = useBrowser();
let project = '';

beforeEach(async () => {
  project = freshProject();
  await importJobs({ id: 'J-1' });
  await importJobs({ id: 'J-10', status: 'DELIVERD' }, { id: 'J-11' });
  await importJobs({ id: 'FAIL-2' });
  await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: 1 });
  await sandbox.control('GET', `/projects/${project}/callbacks?await=5s&min=1`);
  // All browser tests at once make the sandbox slow.
}, 30_000);

const importJobs = (...jobs: readonly object[]) => sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });
const rowsOf = (page: Page) => rowLinks(page, 'Requests');
const open = (query = '') => browser.open(sandbox.url(), `/live?project=${project}${query}`);
const menu = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Filters' }).getByRole('button', { name, exact: true });
const check = (page: Page, name: string) => page.getByRole('dialog').getByRole('checkbox', { name }).click();

describe.skipIf(noBrowser)('filters', () => {
  test('match any of their values, and all of them together, with counts', async () => {
    const page = await open();
    await expect.poll(() => rowsOf(page).count()).toBe(4);
    await menu(page, 'Outcome').click();
    await page.getByRole('dialog').getByText('with warnings').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await check(page, 'rejected 2');
    await expect.poll(() => rowsOf(page).count()).toBe(2);
    await check(page, 'failed 1');
    await expect.poll(() => rowsOf(page).count()).toBe(3);
    await menu(page, 'Status').click();
    await check(page, '4xx rejected 1');
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    expect(decodeURIComponent(page.url())).toContain('outcome=rejected,failed');
    await page.getByText('1 of 4 requests').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await expect.poll(() => focused(page)).toBe('Status: 4xx rejected');
    await page.reload();
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    await menu(page, 'Status: 4xx rejected').click();
    await check(page, '4xx rejected 1');
    await page.keyboard.press('Escape');
    await expect.poll(() => rowsOf(page).count()).toBe(3);
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => rowsOf(page).count()).toBe(4);
  });

  test('an id is exact, and new requests are filtered, too', async () => {
    const page = await open();
    await menu(page, 'Id').click();
    await page.getByRole('textbox', { name: 'Id' }).fill('J-1');
    await page.keyboard.press('Enter');
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    await importJobs({ id: 'J-12' });
    await importJobs({ id: 'J-13' }, { id: 'J-14' }, { id: 'J-15' }, { id: 'J-1' });
    await expect.poll(() => rowsOf(page).count()).toBe(2);
    await page.getByText('2 of 6 requests').waitFor();
  });

  test('of a time are chosen as a span, or as two points', async () => {
    const page = await open();
    await menu(page, 'Time').click();
    await check(page, 'last minute');
    await expect.poll(() => page.url()).toContain('within=1m');
    await expect.poll(() => rowsOf(page).count()).toBe(4);
    await menu(page, 'More filters').click();
    await page.getByLabel('To (UTC)').fill('2020-01-01T00:00:00');
    await page.getByRole('button', { name: 'Apply' }).first().click();
    await page.getByRole('heading', { name: 'No matches' }).waitFor();
    expect(decodeURIComponent(page.url())).toContain('to=2020-01-01T00:00:00Z');
    expect(page.url()).not.toContain('within');
  });
});
