/** A partner developer reads which problems occur, how often, how to fix them, and an example request. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { textsOf } from './page.ts';

const sandbox = useSandbox();
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const importJobs = (...jobs: readonly unknown[]) => sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });
const importOrders = (...orders: readonly unknown[]) =>
  sandbox.api('POST', `/sync/projects/${project}/orders`, { orders });

const problemsOf = (page: Page) =>
  page
    .getByRole('list', { name: 'Problems' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { level: 2 }) });
const open = (query = '') => browser.open(sandbox.url(), `/problems?project=${project}${query}`);
const texts = (page: Page) => textsOf(problemsOf(page));

describe.skipIf(noBrowser)('problems', () => {
  test('with the same operation and cause are one problem, with its count, advice and example', async () => {
    await importJobs({ id: 'J-1', status: 'DELIVERD' }, { id: 'J-2', status: 'DONE' });
    await importJobs({ id: 'J-3', status: 'ARIVING' });
    await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: 1 });
    const page = await open();
    // The problems of an entry are added after its request.
    await expect
      .poll(() => texts(page))
      .toEqual([expect.anything(), expect.stringContaining('3 events in 2 requests')]);
    const [newest = '', other = ''] = await texts(page);
    expect(newest).toContain('syncImportOrders request rejected 1 event');
    expect(newest).toContain('/orders expected an array');
    expect(newest).toContain('Latest: got number 1');
    expect(other).toContain('asyncImportJobs entry failed 3 events in 2 requests · last seen');
    expect(other).toContain('status expected one of PENDING');
    expect(other).toContain('Latest: got "ARIVING", did you mean ARRIVING?');
    expect(other).toContain('Send one of the expected values, in the same spelling. Read asyncImportJobs');

    // The next step is the operation in the reference.
    await problemsOf(page).nth(1).getByRole('link', { name: 'Read asyncImportJobs' }).click();
    await page.getByRole('article', { name: 'asyncImportJobs' }).waitFor();
    await expect.poll(() => page.url()).toContain(`#/reference?project=${project}&operation=asyncImportJobs`);
  });

  test('the example opens the request, and the other examples are expandable', async () => {
    const first = await importJobs({ id: 5 });
    const last = await importJobs({ id: 6 });
    const page = await open();
    const problem = problemsOf(page).first();
    await problem.getByRole('link', { name: String(last.headers['x-request-id']) }).click();
    const drawer = page.getByRole('complementary', { name: 'Request' });
    await drawer.getByText('6: id: expected a string, got number 6').first().waitFor();
    await expect.poll(() => page.url()).toContain(`request=${last.headers['x-request-id']}`);
    await page.goBack();
    await expect.poll(() => drawer.count()).toBe(0);

    await problem.getByText('1 more').click();
    await problem.getByRole('link', { name: String(first.headers['x-request-id']) }).click();
    await drawer.getByText('5: id: expected a string, got number 5').first().waitFor();
    await page.reload();
    await drawer.getByText('5: id: expected a string, got number 5').first().waitFor();
  });

  test('are filtered and searched, and the URL contains the filters', async () => {
    await importJobs({ id: 'J-1', colour: 'red' });
    await importJobs({ id: 5 });
    await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: 1 });
    const rules = [{ when: { operation: 'syncImportOrders' }, then: { respond: { status: 500 } }, times: 1 }];
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'orders-down', rules }] });
    await importOrders({ id: 'O-1' });
    const page = await open();
    await page.getByText('4 of 4 problems').waitFor();
    for (const [filter, text] of [
      ['Warnings', 'unknown field "colour"'],
      ['Entries', 'id expected a string'],
      ['Scenario', 'The scenario “orders-down” sent this response'],
    ] as const) {
      await page.getByRole('button', { name: `${filter} 1` }).click();
      await expect.poll(() => texts(page)).toEqual([expect.stringContaining(text)]);
      await page.getByText('1 of 4 problems').waitFor();
      await expect.poll(() => page.url()).toContain(`show=${filter.toLowerCase()}`);
    }
    await page.getByRole('button', { name: 'Rejected 2' }).click();
    await page.getByText('2 of 4 problems').waitFor();
    await page.getByLabel('Search problems').fill('ORDERS-down');
    await page.getByText('1 of 4 problems').waitFor();
    await expect.poll(() => page.url()).toContain('show=refused');
    await expect.poll(() => page.url()).toContain('q=ORDERS-down');

    await page.reload();
    await page.getByText('1 of 4 problems').waitFor();
    await expect.poll(() => page.getByLabel('Search problems').inputValue()).toBe('ORDERS-down');
    await expect.poll(() => page.getByRole('button', { name: 'Rejected 2' }).getAttribute('aria-pressed')).toBe('true');
    await page.getByLabel('Search problems').fill('nothing such');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('4 of 4 problems').waitFor();
    await expect.poll(() => page.url()).not.toContain('q=');
  });

  test('appear when they occur, also those reported by callback, and disappear with a reset', async () => {
    await sandbox.freeze(project);
    await importOrders({ id: 'O-1' });
    const page = await open();
    await page.getByText('No problems found').waitFor();
    await importJobs({ id: 'FAIL-GEOCODE-1' });
    await sandbox.advance(project, '10s');
    await expect
      .poll(() => texts(page))
      .toEqual([expect.stringContaining('asyncImportJobs reported by callback magic-ids 1 event')]);
    await importOrders({ id: 'O-1' });
    await page.getByText('2 of 2 problems').waitFor();
    const duplicates = async () => (await texts(page)).find((text) => text.includes('exists already')) ?? '';
    await expect.poll(duplicates).toContain('1 event');
    await importOrders({ id: 'O-1' });
    await expect.poll(duplicates).toContain('2 events');

    await sandbox.control('POST', `/projects/${project}/reset`);
    await page.getByText('No requests yet').waitFor();
    await importOrders({ id: 5 });
    await page.getByText('1 of 1 problems').waitFor();
  });

  test('of all projects are shown if no project is selected', async () => {
    const [one, other] = [project, freshProject()];
    const refused = await sandbox.api('POST', `/async/projects/${one}/jobs`, { jobs: 1 });
    const next = await sandbox.api('POST', `/async/projects/${other}/jobs`, { jobs: 1 });
    const page = await browser.open(sandbox.url(), `/problems?q=${refused.headers['x-request-id']}`);
    await expect.poll(() => texts(page)).toEqual([expect.stringContaining(`${one},`)]);
    await page.getByLabel('Search problems').fill(String(next.headers['x-request-id']));
    await expect.poll(() => texts(page)).toEqual([expect.stringContaining(`${other},`)]);
  });

  test('include a wrong key and a wrong path of the selected project', async () => {
    const page = await open();
    await page.getByText('No requests yet').waitFor();
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [] }, { apikey: 'wrong' });
    await sandbox.api('POST', `/async/projects/${project}/job`, { jobs: [] });
    await page.getByText('2 of 2 problems').waitFor();
    const [path, key] = await texts(page);
    expect(path).toContain('no operation has this path; the nearest is POST /async/projects/{projectId}/jobs');
    expect(path).toContain('Read asyncImportJobs');
    expect(key).toContain('this API key was never issued');
    expect(key).toContain('See the API key');
  });
});
