/** A new user tries an operation and sees its outcome, at once and later. */
import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { findBarriers, noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { blocks, execute, operation } from './reference-page.ts';

const sandbox = useSandbox();
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const open = (query = '', options = {}) =>
  browser.open(sandbox.url(), `/reference?project=${project}${query}`, options);
const status = (page: Page) => page.locator('.reference-status');
const said = async (page: Page) => ((await status(page).textContent()) ?? '').replaceAll(/\s+/g, ' ').trim();
const top = async (one: Locator) => (await one.boundingBox())?.y ?? Number.NaN;
const executeButton = (block: Locator) => block.getByRole('button', { name: 'Execute' });
const activate = (then: object) =>
  sandbox.control('PUT', `/projects/${project}/scenarios`, {
    scenarios: [{ name: 'given', rules: [{ name: 'only', then }] }],
  });

/** Selects an example body. */
const chooseExample = (block: Locator, label: string) =>
  block.locator('.opblock-section-request-body').getByLabel('Example').selectOption({ label });

describe.skipIf(noBrowser)('the outcome of a request', () => {
  test('shows an error with its reason, and links to the stored record', async () => {
    const page = await open('&operation=asyncImportJobs');
    const block = operation(page, 'asyncImportJobs');
    await chooseExample(block, 'A job with an invalid status');
    await executeButton(block).click();
    await status(page).getByRole('link', { name: 'jobs JOB-1' }).waitFor();
    expect(await said(page)).toMatch(
      /^202: 1 accepted, 1 rejected \(JOB-2: status: expected one of PENDING, .*…\) · view request · stored: jobs JOB-1$/,
    );
    await status(page).getByRole('link', { name: 'jobs JOB-1' }).click();
    await page.getByRole('heading', { name: 'JOB-1' }).waitFor();
    expect(page.url()).toContain(`/records?project=${project}&collection=jobs&record=JOB-1`);
  });

  test('shows a frozen clock, then the failure with its callback', async () => {
    await sandbox.freeze(project);
    const page = await open('&operation=asyncImportJobs');
    const block = operation(page, 'asyncImportJobs');
    await chooseExample(block, 'A job whose address is not found, because of its id');
    await executeButton(block).click();
    const advance = status(page).getByRole('link', { name: 'advance it' });
    await advance.waitFor();
    expect(await said(page)).toBe('202: 1 accepted · view request · 1 pending: the clock is frozen, advance it');
    expect(await advance.getAttribute('href')).toBe(`#/clock?project=${project}`);

    await sandbox.advance(project);
    const callback = status(page).getByRole('link', { name: 'callback' });
    await callback.waitFor();
    expect(await said(page)).toBe(
      '202: 1 accepted · view request · 1 failed later: FAIL-GEOCODE-1: Address could not be geocoded · callback',
    );
    const [{ id } = {}] = await sandbox.items(project, 'callbacks');
    expect(await callback.getAttribute('href')).toBe(`#/callbacks?project=${project}&callback=${String(id)}`);
  });

  test('links to jobs after they are processed', async () => {
    await sandbox.freeze(project);
    const page = await open('&operation=asyncImportJobs');
    await execute(operation(page, 'asyncImportJobs'), '{"jobs":[{"id":"J-1"},{"id":"J-2"}]}', 202);
    await status(page).getByText('2 pending').waitFor();
    await sandbox.advance(project);
    await status(page).getByText('stored: jobs J-1 and 1 more').waitFor();
    expect(await said(page)).not.toContain('pending');
  });

  test('shows only the response of a request that is no longer in the journal', async () => {
    const page = await open('&operation=syncCreateJobs');
    await execute(operation(page, 'syncCreateJobs'), '{"jobs":[{"id":"J-1"}]}', 200);
    await status(page).getByRole('link', { name: 'jobs J-1' }).waitFor();
    await sandbox.control('POST', `/projects/${project}/reset`);
    await expect.poll(() => said(page)).toBe('200: 1 succeeded · the request is no longer in the journal');
  });

  test('shows a missing response in place of the previous outcome', async () => {
    const page = await open('&operation=syncCreateJobs');
    const block = operation(page, 'syncCreateJobs');
    await execute(block, '{"jobs":[{"id":"J-1"}]}', 200);
    await status(page).getByText('200: 1 succeeded').waitFor();
    await activate({ connection: 'reset' });
    await executeButton(block).click();
    await status(page).getByText('No response.').waitFor();
    expect(await said(page)).toBe('No response. See Live for whether the request arrived.');
  });
});

describe.skipIf(noBrowser)('trying an operation', () => {
  test('scrolls to the response and focuses it if the keyboard is used', async () => {
    const page = await open('&operation=asyncImportJobs');
    const block = operation(page, 'asyncImportJobs');
    await chooseExample(block, 'A delivery in Brisbane with all details, another one, and an installation in Hamburg');
    await executeButton(block).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Server response');
    const answer = block.locator('.live-responses-table');
    const under = (await status(page).boundingBox()) as { y: number; height: number };
    expect(await top(block.getByRole('heading', { name: 'Server response' }))).toBeGreaterThan(under.y + under.height);
    expect(await top(answer.locator('.response-col_status').last())).toBeLessThan(400);
    expect(await top(answer.getByText('"jobsReceived"'))).toBeLessThan(800);
    expect(await block.locator('.curl-command').isVisible()).toBe(false);
    await block.getByText('curl command').click();
    expect(await block.locator('.curl-command').textContent()).toContain('apikey: sandbox-key');
  });

  test('keeps the focus if the user has moved it', async () => {
    const page = await open('&operation=syncCreateJobs');
    const block = operation(page, 'syncCreateJobs');
    await activate({ latency: '700ms' });
    await executeButton(block).click();
    await status(page).getByText('Waiting for the response.').waitFor();
    await block.getByLabel('Request body').focus();
    await block.locator('.live-responses-table').waitFor();
    await status(page).getByText('200: 1 succeeded').waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
  });

  test.each(['updateUser', 'submitLocations'])('scrolls %s to the top when it is opened', async (id) => {
    const page = await open();
    const block = operation(page, id);
    await block.getByRole('button', { name: id }).click();
    await executeButton(block).waitFor();
    await expect.poll(() => top(block)).toBeLessThan(140);
    expect(await top(block)).toBeGreaterThan(60);
  });

  test('offers example bodies, the first one short and valid, also for a subproject', async () => {
    const page = await open('&operation=asyncImportJobsInSubproject');
    const block = operation(page, 'asyncImportJobsInSubproject');
    const examples = block.locator('.opblock-section-request-body').getByLabel('Example').locator('option');
    await executeButton(block).waitFor();
    expect(await examples.allTextContents()).toEqual([
      'One job',
      'A job with an invalid status',
      'A job whose address is not found, because of its id',
    ]);
    await executeButton(block).click();
    await status(page).getByText('202: 1 accepted').waitFor();
  });

  test('keeps the typed body after a visit to another screen or project', async () => {
    const page = await open('&operation=asyncImportJobs');
    const body = operation(page, 'asyncImportJobs').getByLabel('Request body');
    await body.fill('{"jobs":[{"id":"MINE"}]}');
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Requests' }).click();
    await page.getByRole('heading', { name: 'Live', level: 1 }).waitFor();
    await page.goBack();
    await expect.poll(() => body.inputValue()).toBe('{"jobs":[{"id":"MINE"}]}');
    await page.goto(`${sandbox.url()}/_sandbox/#/reference?project=${freshProject()}&operation=asyncImportJobs`);
    const field = operation(page, 'asyncImportJobs').getByRole('textbox', { name: 'projectId' });
    await expect.poll(() => field.inputValue()).not.toBe(project);
    await expect.poll(() => body.inputValue()).toBe('{"jobs":[{"id":"MINE"}]}');
  });
});

describe.skipIf(noBrowser)('the page', () => {
  const ids = (page: Page) => page.locator('.opblock-summary-operation-id').allTextContents();

  test.each([
    ['ASYNCIMPORTJOBS', 'by id', 2, ['asyncImportJobs', 'asyncImportJobsInSubproject']],
    ['asyncImportJobs', 'the exact id', 2, ['asyncImportJobs']],
    ['/LOCATIONS/Batch', 'by path', 1, ['submitLocations']],
    ['batch update of JOBS', 'by summary', 2, ['asyncUpdateJobs', 'asyncUpdateJobsInSubproject']],
    ['users', 'by heading', 2, ['registerUser', 'updateUser']],
  ])('is filtered by %s: %s', async (typed, _how, count, some) => {
    const page = await open();
    await page.getByLabel('Filter operations').fill(typed);
    // The callback is always listed.
    await expect.poll(async () => (await ids(page)).length).toBe(count + 1);
    expect(await ids(page)).toEqual(expect.arrayContaining(some));
  });

  test('reports no matches of the filter, and shows all again', async () => {
    const page = await open();
    await page.getByLabel('Filter operations').fill('fly');
    await page.getByText('No matches in ids, paths, summaries and headings.').waitFor();
    await page.getByLabel('Filter operations').fill('');
    await expect.poll(() => blocks(page).count()).toBe(30);
  });

  test.each(['light', 'dark'] as const)(
    'is accessible with a response in it, and shows extensions: %s',
    async (theme) => {
      const page = await open('&operation=asyncImportJobs', { theme });
      const block = operation(page, 'asyncImportJobs');
      await executeButton(block).click();
      await status(page).getByRole('link', { name: 'jobs JOB-20931' }).waitFor();
      expect(await block.getByText('x-not-shown: That it travels in the path.').count()).toBe(1);
      await block.getByRole('cell', { name: 'The method and the path, and that the first' }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
    },
  );
});
