/** A new user sends a request from the API reference and sees its outcome, at once and later. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { copied, hasFocus, heading, textOf } from './page.ts';
import { bodyField, execute, form, press, response } from './reference-page.ts';

const sandbox = useSandbox();
const browser = useBrowser();
const run = promisify(execFile);
let project = '';

beforeEach(() => {
  project = freshProject();
});

const open = (query = '') => browser.open(sandbox.url(), `/reference?project=${project}${query}`);
const status = (page: Page) => response(page).getByRole('status');
const said = (page: Page) => textOf(status(page));
const code = (page: Page) => page.getByRole('region', { name: 'Code' });
const hasStatus = (page: Page, one: number) => response(page).getByText(String(one), { exact: true }).waitFor();
const activate = (then: object) =>
  sandbox.control('PUT', `/projects/${project}/scenarios`, {
    scenarios: [{ name: 'given', rules: [{ name: 'only', then }] }],
  });
const chooseExample = (page: Page, label: string) => page.getByLabel('Example').selectOption({ label });
const idIn = ({ body }: { readonly body: string }) => /"(?:id|username)": ?"([^"]+)"/.exec(body)?.[1];

describe.skipIf(noBrowser)('the outcome of a request', () => {
  test('shows an error with its reason, and links to the stored record', async () => {
    const page = await open('&operation=asyncImportJobs');
    await chooseExample(page, 'A job with an invalid status');
    await press(page);
    const stored = status(page).getByRole('link', { name: 'jobs JOB-' });
    await stored.waitFor();
    await expect
      .poll(() => said(page))
      .toMatch(
        /^202: 1 accepted, 1 rejected \(JOB-\w+: status: expected one of PENDING, .*…\) · stored: jobs JOB-\w+$/,
      );
    const name = await stored.textContent();
    await stored.click();
    await page.getByRole('heading', { name: name?.replace('jobs ', '') ?? '' }).waitFor();
    await expect.poll(() => page.url()).toContain(`/records?project=${project}&collection=jobs&record=JOB-`);
  });

  test('shows a frozen clock, then the failure with its callback', async () => {
    await sandbox.freeze(project);
    const page = await open('&operation=asyncImportJobs');
    await chooseExample(page, 'A job whose address is not found, because of its id');
    await press(page);
    const advance = status(page).getByRole('link', { name: 'advance it' });
    await advance.waitFor();
    await expect.poll(() => said(page)).toBe('202: 1 accepted · 1 pending: the clock is frozen, advance it');
    expect(await advance.getAttribute('href')).toBe(`#/clock?project=${project}`);

    await sandbox.advance(project);
    const callback = status(page).getByRole('link', { name: 'callback' });
    await callback.waitFor();
    await expect
      .poll(() => said(page))
      .toMatch(/^202: 1 accepted · 1 failed later: FAIL-GEOCODE-\w+: Address could not be geocoded · callback$/);
    const [{ id } = {}] = await sandbox.items(project, 'callbacks');
    expect(await callback.getAttribute('href')).toBe(`#/callbacks?project=${project}&callback=${String(id)}`);
  });

  test('shows only the response of a request that is no longer in the journal', async () => {
    const page = await open('&operation=syncCreateJobs');
    await execute(page, '{"jobs":[{"id":"J-1"}]}', 200);
    await status(page).getByRole('link', { name: 'jobs J-1' }).waitFor();
    await sandbox.control('POST', `/projects/${project}/reset`);
    await expect.poll(() => said(page)).toBe('200: 1 succeeded · the request is no longer in the journal');
  });

  test('shows a missing response in place of the previous outcome', async () => {
    const page = await open('&operation=syncCreateJobs');
    await execute(page, '{"jobs":[{"id":"J-1"}]}', 200);
    await status(page).getByText('200: 1 succeeded').waitFor();
    await activate({ connection: 'reset' });
    await press(page);
    await status(page).getByText('No response.').waitFor();
    await expect.poll(() => said(page)).toBe('No response. See Requests for whether the request arrived.');
  });

  test('has status, time, size, body and headers, and leads to the request', async () => {
    const page = await open('&operation=submitLocation');
    await execute(page, '{"deviceId":"van-1"}', 400);
    await response(page)
      .getByText(/^[\d.]+ m?s$/)
      .waitFor();
    await response(page)
      .getByText(/^\d+ bytes$/)
      .waitFor();
    await response(page).getByText('/eventDateTime: required, but missing').first().waitFor();
    await response(page)
      .getByText(/^\d+ headers$/)
      .click();
    await response(page).getByText('x-request-id').waitFor();
    await response(page).getByRole('link', { name: 'Open request' }).click();
    const [{ id } = {}] = await sandbox.items(project, 'requests');
    await expect.poll(() => page.url()).toContain(`request=${String(id)}`);
  });
});

describe.skipIf(noBrowser)('an example', () => {
  test.each(['registerUser', 'asyncImportJobs', 'syncCreateRoutes', 'syncCreateJob', 'syncImportOrders'])(
    'of %s works twice, and after a new visit, with new ids',
    async (id) => {
      const page = await open(`&operation=${id}`);
      const requests = () => sandbox.items(project, 'requests');
      let sent = 0;
      for (const _visit of [1, 2]) {
        for (const _sending of [1, 2]) {
          await press(page);
          sent += 1;
          await expect.poll(async () => (await requests()).length).toBe(sent);
          await expect
            .poll(() => said(page))
            .toMatch(/^20\d: (1|2|3) (accepted|succeeded)|^20\d: .*(created|registered)/);
          expect(await said(page)).not.toMatch(/rejected|failed/);
        }
        await page.reload();
        await bodyField(page).waitFor();
      }
      const all = await requests();
      expect(new Set(all.map(({ request }) => idIn(request as { body: string }))).size).toBe(4);
      expect(all.map((one) => one['status'])).toEqual(Array(4).fill(all[0]?.['status']));
    },
  );

  test('keeps its ids if the user says so, and then fails as a duplicate', async () => {
    const page = await open('&operation=syncCreateJob');
    await page.getByLabel('New ids each time it is sent').uncheck();
    await press(page);
    await hasStatus(page, 201);
    await press(page);
    await hasStatus(page, 409);
  });

  test('of an update is about a record that exists, or names the operation that creates one', async () => {
    const page = await open('&operation=syncUpdateOrder');
    await page.getByText(`Project ${project} has no orders to update yet.`).waitFor();
    await form(page).getByRole('link', { name: 'syncImportOrders' }).click();
    await page.getByRole('article', { name: 'syncImportOrders' }).waitFor();
    await press(page);
    await hasStatus(page, 200);
    const [order] = await sandbox.items(project, 'orders');
    await page.goBack();
    await expect.poll(() => form(page).getByLabel('orderId').inputValue()).toBe(order?.['id']);
    for (const _sending of [1, 2]) {
      await press(page);
      await status(page)
        .getByText(/200: order .* updated/)
        .waitFor();
    }
    await expect.poll(() => sandbox.items(project, 'orders')).toMatchObject([{ status: 'READY' }]);
  });
});

describe.skipIf(noBrowser)('the form', () => {
  test('has the project of the console and the published key', async () => {
    const page = await open('&operation=syncCreateJobs');
    await expect.poll(() => form(page).getByLabel('projectId').inputValue()).toBe(project);
    await expect.poll(() => form(page).getByLabel('API key').inputValue()).toBe('sandbox-key');
    await form(page).getByLabel('projectId').fill(`${project}-b`);
    await page.keyboard.press('Tab');
    await expect.poll(() => page.url()).toContain(`project=${project}-b`);
  });

  test('activates a scenario for one request', async () => {
    const page = await open('&operation=syncCreateJobs');
    await form(page).getByLabel('Scenario').fill('maintenance');
    await page.keyboard.press('Tab');
    await code(page).getByText("-H 'x-sandbox-scenario: maintenance'").waitFor();
    await press(page);
    await hasStatus(page, 503);
    await form(page).getByLabel('Scenario').fill('');
    await page.keyboard.press('Tab');
    await press(page);
    await hasStatus(page, 200);
  });

  test('is sent by Ctrl+Enter, and keeps the focus', async () => {
    const page = await open('&operation=syncCreateJobs');
    await bodyField(page).focus();
    await page.keyboard.press('Control+Enter');
    await status(page).getByText('200: 1 succeeded').waitFor();
    expect(await hasFocus(bodyField(page))).toBe(true);
  });

  test.each([
    ['curl', 'bash', ['-c']],
    ['fetch', process.execPath, ['--input-type=module', '-e']],
  ])('shows code that sends a body as it is: %s', async (language, program, args) => {
    const page = await open('&operation=syncCreateJobs');
    // Characters that have a meaning in one of the languages.
    const branchId = `it's "quoted" \\ $HOME \${x} %s """ äöü 😀 true`;
    await bodyField(page).fill(JSON.stringify({ jobs: [{ id: 'J-1', branchId }] }, null, 2));
    await code(page).getByRole('button', { name: language }).click();
    await code(page).getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    await run(program, [...args, await copied(page)], { timeout: 20_000 });
    expect(await sandbox.items(project, 'jobs')).toMatchObject([{ id: 'J-1', branchId }]);
  });

  test('shows code for another server, but sends only to its own', async () => {
    const page = await open('&operation=syncCreateJobs');
    await form(page).getByLabel('Server').fill('https://au.field-service.example/');
    await page.keyboard.press('Tab');
    await page.getByText('The console sends requests only to its own sandbox.').waitFor();
    await expect.poll(() => form(page).getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'fetch' }).click();
    await code(page).getByRole('button', { name: 'Copy' }).click();
    await expect
      .poll(() => copied(page))
      .toContain(`"https://au.field-service.example/sync/projects/${project}/jobs/batch"`);
    for (const [language, sign] of [
      ['curl', 'curl -i -X POST'],
      ['fetch', 'await fetch('],
    ] as const) {
      await page.getByRole('button', { name: language }).click();
      await expect.poll(() => code(page).textContent()).toContain(sign);
    }
  });

  test('offers example bodies, the first one short and valid, also for a subproject', async () => {
    const page = await open('&operation=asyncImportJobsInSubproject');
    const examples = page.getByLabel('Example').getByRole('option');
    await form(page).waitFor();
    await expect
      .poll(() => examples.allTextContents())
      .toEqual(['One job', 'A job with an invalid status', 'A job whose address is not found, because of its id']);
    await press(page);
    await status(page).getByText('202: 1 accepted').waitFor();
  });

  test('keeps the typed body after a visit to another screen or project', async () => {
    const page = await open('&operation=asyncImportJobs');
    await bodyField(page).fill('{"jobs":[{"id":"MINE"}]}');
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Connect' }).click();
    await heading(page, 'Connect').waitFor();
    await page.goBack();
    await expect.poll(() => bodyField(page).inputValue()).toBe('{"jobs":[{"id":"MINE"}]}');
    await page.goto(`${sandbox.url()}/_sandbox/#/reference?project=${freshProject()}&operation=asyncImportJobs`);
    await expect.poll(() => form(page).getByLabel('projectId').inputValue()).not.toBe(project);
    await expect.poll(() => bodyField(page).inputValue()).toBe('{"jobs":[{"id":"MINE"}]}');
  });
});
