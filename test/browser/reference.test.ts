/** A new user reads the API reference, sends requests from it, and sees what came of them, at once and later. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { findBarriers, noBrowser, useBrowser } from '../harness/browser.ts';
import { writeProfile } from '../harness/profile.ts';
import { freshProject, type TestSandbox, useSandbox } from '../harness/sandbox.ts';
import { copied, hasFocus, heading, main, textOf, textsOf } from './page.ts';

const changes = {
  basePath: '/field',
  operations: { asyncImportJobs: { path: '/v2/jobs?project={projectId}', method: 'PUT' } },
} as const;
const inBody = {
  identifiers: { projectId: 'body', jobId: 'header:x-job' },
  operations: {
    asyncUpdateJob: { path: '/job' },
    asyncUpdateJobInSubproject: { path: '/subprojects/{subProjectId}/job' },
  },
} as const;

const sandbox = useSandbox();
const moved = useSandbox({ profile: writeProfile(changes) }, { ...shippedProfile, ...changes });
const projectInBody = useSandbox({ profile: writeProfile(inBody) }, { ...shippedProfile, ...inBody });
const locked = useSandbox({ apiKeys: ['secret-key'] });
const browser = useBrowser();
const run = promisify(execFile);
let project = '';

beforeEach(() => {
  project = freshProject();
});

const open = (operation = '', { url }: Pick<TestSandbox, 'url'> = sandbox, options = {}) =>
  browser.open(url(), `/reference?project=${project}&operation=${operation}`, options);
const links = (page: Page) => page.getByRole('navigation', { name: 'Operations' }).getByRole('link');
const article = (page: Page, name: string) => page.getByRole('article', { name, exact: true });
const form = (page: Page) => page.getByRole('form', { name: 'Request' });
const response = (page: Page) => page.getByRole('region', { name: 'Response' });
const result = (page: Page) => response(page).getByRole('region', { name: 'Result' });
const code = (page: Page) => page.getByRole('region', { name: 'Code' });
const bodyField = (page: Page) => page.getByLabel('Request body');
const press = (page: Page) => form(page).getByRole('button', { name: 'Send' }).click();
const hasStatus = (page: Page, one: number) => response(page).getByText(String(one), { exact: true }).waitFor();
const chooseExample = (page: Page, label: string) => page.getByLabel('Example').selectOption({ label });

async function execute(page: Page, body: string, status: number): Promise<void> {
  await bodyField(page).fill(body);
  await press(page);
  await hasStatus(page, status);
}

describe.skipIf(noBrowser)('the operations', () => {
  test('are listed where a profile has moved them, and requests are sent there', async () => {
    const page = await open('asyncImportJobs', moved);
    await expect.poll(() => links(page).count()).toBe(30);
    await expect
      .poll(() => links(page).filter({ hasText: 'PUT' }).getAttribute('title'))
      .toBe('Import new jobs\nPUT /field/v2/jobs');
    await execute(page, '{"jobs":[{"id":"J-1"}]}', 202);
    const url = `/field/v2/jobs?project=${project}`;
    expect(await moved.items(project, 'requests')).toMatchObject([{ request: { method: 'PUT', url } }]);
  });

  test('are called by the command of an empty list, wherever a profile has moved them', async () => {
    const page = await browser.open(moved.url(), `/live?project=${project}`);
    await main(page).getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByText('Copied.').waitFor();
    await run('sh', ['-c', await copied(page)], { timeout: 20_000 });
    expect(await moved.items(project, 'requests')).toMatchObject([{ operation: 'asyncImportJobs', status: 202 }]);
  });

  test('have the project in the body and the job in a header, if a profile moved them there', async () => {
    await projectInBody.api('POST', '/sync/projects/jobs/batch', { projectId: project, jobs: [{ id: 'J-1' }] });
    const page = await open('asyncUpdateJob', projectInBody);
    await expect.poll(() => form(page).getByLabel('x-job').inputValue()).toBe('J-1');
    await expect.poll(() => bodyField(page).inputValue()).toContain(`"projectId": "${project}"`);
    await press(page);
    await hasStatus(page, 202);
    await expect.poll(() => projectInBody.items(project, 'jobs')).toMatchObject([{ id: 'J-1', status: 'DELIVERED' }]);
  });

  test('are filtered, reached by keys, and have a link each', async () => {
    const page = await open();
    const filter = page.getByLabel('Filter operations');
    for (const [typed, ids] of [
      ['ASYNCIMPORTJOBS', ['POSTasyncImportJobs', 'POSTasyncImportJobsInSubproject']],
      ['/LOCATIONS/Batch', ['POSTsubmitLocations']],
      ['batch update of JOBS', ['PATCHasyncUpdateJobs', 'PATCHasyncUpdateJobsInSubproject']],
      ['users', ['POSTregisterUser', 'PATCHupdateUser']],
    ] as const) {
      await filter.fill(typed);
      await expect.poll(() => textsOf(links(page))).toEqual(ids);
    }
    for (const key of ['ArrowDown', 'ArrowDown', 'k', 'j', 'Enter']) await page.keyboard.press(key);
    await article(page, 'updateUser').waitFor();
    await expect.poll(() => page.url()).toContain('operation=updateUser');
    await expect.poll(() => links(page).nth(1).getAttribute('aria-current')).toBe('page');
    await page.goto(`${sandbox.url()}/_sandbox/#/reference?project=${project}&operation=fly`);
    await page.getByRole('alert').getByText('Operation fly not found.').waitFor();
    await page.getByRole('link', { name: 'API reference' }).click();
    await article(page, 'Overview').waitFor();
  });

  test('are in a menu if there is no room for a list', async () => {
    const page = await open('', sandbox, { width: 390 });
    await page.getByLabel('Operation', { exact: true }).selectOption('POST registerUser');
    await article(page, 'registerUser').waitFor();
    await page.getByRole('button', { name: 'Try it' }).click();
    await expect.poll(async () => (await form(page).boundingBox())?.y ?? 999).toBeLessThan(300);
  });
});

describe.skipIf(noBrowser)('the description', () => {
  test('has fields with types, values and assumptions, and a response for each status', async () => {
    const page = await open('asyncImportJobs');
    const text = article(page, 'asyncImportJobs');
    await text.getByText('Assumption: That it travels in the path.').waitFor();
    const body = text.getByRole('table', { name: 'Body', exact: true });
    const row = (name: string) => body.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
    await expect.poll(() => textOf(row('id'))).toMatch(/^id required ?string.*not empty · example "JOB-20931"$/);
    expect(await row('streetAddress').count()).toBe(0);
    await body.getByRole('button', { name: 'address', exact: true }).click();
    await row('streetAddress').waitFor();
    await row('status')
      .getByText(/^\d+ values$/)
      .click();
    await row('status').getByText('On its way.').waitFor();
    const responses = text.getByRole('group', { name: 'Responses' });
    for (const status of ['202', '400', '401', '404', '429', '503'])
      await responses.getByText(status, { exact: true }).waitFor();
    await responses.getByText('The request is invalid').click();
    await text.getByText('Example: An invalid body').click();
    await text.getByText('"/jobs: expected an array, got an object"').waitFor();
    await text.getByRole('link', { name: 'downstreamFailed' }).click();
    await article(page, 'downstreamFailed').waitFor();
    await page.getByRole('group', { name: 'JSON' }).getByText('"failed"').first().waitFor();
    expect(await form(page).count()).toBe(0);
  });

  test('is accessible with all of it open', async () => {
    const page = await open('registerUser');
    const text = article(page, 'registerUser');
    await text.waitFor();
    const folded = text.getByRole('table', { name: 'Body', exact: true }).getByRole('button', { expanded: false });
    await folded.first().waitFor();
    while ((await folded.count()) > 0) await folded.first().click();
    await text.getByRole('group', { name: 'Responses' }).getByText('400', { exact: true }).click();
    expect(await findBarriers(page)).toEqual([]);
    // The check of so many elements takes long on a slow machine.
  }, 90_000);
});

describe.skipIf(noBrowser)('what came of a request', () => {
  test('has the mistake at its place, the stored record, and leads to the request', async () => {
    const page = await open('asyncImportJobs');
    await chooseExample(page, 'A job with an invalid status');
    await expect.poll(() => bodyField(page).inputValue()).toContain('DELIVERD');
    await press(page);
    await hasStatus(page, 202);
    await result(page).getByText('1 entry rejected').waitFor();
    await result(page).getByRole('link', { name: 'jobs JOB-' }).waitFor();
    const sent = response(page).getByRole('group', { name: 'JSON' }).first();
    await expect
      .poll(() => textOf(sent))
      .toMatch(/"status": "DELIVERD" .*expected one of PENDING.*did you mean DELIVERED/);
    await response(page)
      .getByText(/^[\d.]+ m?s$/)
      .waitFor();
    await response(page)
      .getByText(/^\d+ headers$/)
      .click();
    await response(page).getByText('x-request-id').waitFor();
    await response(page).getByRole('link', { name: 'Open request' }).click();
    const [{ id } = {}] = await sandbox.items(project, 'requests');
    await expect.poll(() => page.url()).toContain(`request=${String(id)}`);
  });

  test('follows a frozen clock, a later failure with its callback, and a reset', async () => {
    await sandbox.freeze(project);
    const page = await open('asyncImportJobs');
    await chooseExample(page, 'A job whose address is not found, because of its id');
    await expect.poll(() => bodyField(page).inputValue()).toContain('FAIL-GEOCODE');
    await press(page);
    await result(page).getByRole('link', { name: 'advance it' }).waitFor();
    await sandbox.advance(project);
    await result(page).getByText('1 entry failed later').waitFor();
    const [{ id } = {}] = await sandbox.items(project, 'callbacks');
    const callback = result(page).getByRole('link', { name: String(id) });
    expect(await callback.getAttribute('href')).toBe(`#/callbacks?project=${project}&callback=${String(id)}`);
    await sandbox.control('POST', `/projects/${project}/reset`);
    await response(page).getByText('The request is no longer in the journal.').waitFor();
  });

  test('is a missing response in place of the one before', async () => {
    const page = await open('syncCreateJobs');
    await execute(page, '{"jobs":[{"id":"J-1"}]}', 200);
    const scenarios = [{ name: 'given', rules: [{ name: 'only', then: { connection: 'reset' } }] }];
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios });
    await press(page);
    await response(page).getByText('No response. See Requests for whether the request arrived.').waitFor();
    expect(await result(page).count()).toBe(0);
  });
});

describe.skipIf(noBrowser)('the request', () => {
  test.each(['registerUser', 'asyncImportJobs', 'syncCreateRoutes'])(
    'of %s works twice, and after a new visit, with new ids',
    async (id) => {
      const page = await open(id);
      const requests = () => sandbox.items(project, 'requests');
      for (const count of [1, 2, 3]) {
        if (count === 3) await page.reload();
        await bodyField(page).waitFor();
        await press(page);
        await expect.poll(async () => (await requests()).length).toBe(count);
      }
      const all = await requests();
      const ids = all.map(
        ({ request }) => /"(?:id|username)": ?"([^"]+)"/.exec((request as { body: string }).body)?.[1],
      );
      expect(new Set(ids).size).toBe(3);
      for (const { status, entries } of all)
        expect({ status, entries }).toMatchObject({ status: all[0]?.['status'], entries: { refused: 0 } });
    },
  );

  test('keeps its ids if the user says so, and is sent by Ctrl+Enter', async () => {
    const page = await open('syncCreateJob');
    await page.getByLabel('New ids each time it is sent').uncheck();
    await press(page);
    await hasStatus(page, 201);
    await bodyField(page).focus();
    await page.keyboard.press('Control+Enter');
    await hasStatus(page, 409);
    expect(await hasFocus(bodyField(page))).toBe(true);
  });

  test('of an update is about a record that exists, or names the operation that creates one', async () => {
    const page = await open('syncUpdateOrder');
    await page.getByText(`Project ${project} has no orders to update yet.`).waitFor();
    await form(page).getByRole('link', { name: 'syncImportOrders' }).click();
    await article(page, 'syncImportOrders').waitFor();
    await press(page);
    await hasStatus(page, 200);
    const [order] = await sandbox.items(project, 'orders');
    await page.goBack();
    await expect.poll(() => form(page).getByLabel('orderId').inputValue()).toBe(order?.['id']);
    await press(page);
    await response(page)
      .getByText(/order .* updated/)
      .waitFor();
    await expect.poll(() => sandbox.items(project, 'orders')).toMatchObject([{ status: 'READY' }]);
  });

  test('has the project of the console, and a scenario for itself only', async () => {
    const page = await open('syncCreateJobs');
    await form(page).getByLabel('projectId').fill(`${project}-b`);
    await page.keyboard.press('Tab');
    await expect.poll(() => page.url()).toContain(`project=${project}-b`);
    await form(page).getByLabel('Scenario').fill('maintenance');
    await page.keyboard.press('Tab');
    await code(page).getByText("-H 'x-sandbox-scenario: maintenance'").waitFor();
    await press(page);
    await hasStatus(page, 503);
    await form(page).getByLabel('Scenario').fill('');
    await press(page);
    await hasStatus(page, 200);
  });

  test('asks for a secret key, and sends the entered one', async () => {
    const page = await open('syncImportOrders', locked);
    await page.getByText('This sandbox has its own API keys.').waitFor();
    await execute(page, '{"orders":[{"id":"O-1"}]}', 401);
    await form(page).getByLabel('API key').fill('secret-key');
    await execute(page, '{"orders":[{"id":"O-1"}]}', 200);
  });

  test.each([
    ['curl', 'bash', ['-c']],
    ['fetch', process.execPath, ['--input-type=module', '-e']],
  ])('is code that sends a body as it is: %s', async (language, program, args) => {
    const page = await open('syncCreateJobs');
    // Characters that have a meaning in one of the languages.
    const branchId = `it's "quoted" \\ $HOME \${x} %s """ äöü 😀 true`;
    await bodyField(page).fill(JSON.stringify({ jobs: [{ id: 'J-1', branchId }] }, null, 2));
    await code(page).getByRole('button', { name: language }).click();
    await code(page).getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    await run(program, [...args, await copied(page)], { timeout: 20_000 });
    expect(await sandbox.items(project, 'jobs')).toMatchObject([{ id: 'J-1', branchId }]);
  });

  test('is code for another server, but is sent only to its own', async () => {
    const page = await open('syncCreateJobs');
    await form(page).getByLabel('Server').fill('https://au.field-service.example/');
    await page.keyboard.press('Tab');
    await page.getByText('The console sends requests only to its own sandbox.').waitFor();
    await expect.poll(() => form(page).getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await code(page).getByText(`https://au.field-service.example/sync/projects/${project}/jobs/batch`).waitFor();
  });

  test('keeps the typed body after a visit to another screen or project', async () => {
    const page = await open('asyncImportJobs');
    await bodyField(page).fill('{"jobs":[{"id":"MINE"}]}');
    await page.getByRole('link', { name: 'Connect' }).click();
    await heading(page, 'Connect').waitFor();
    await page.goBack();
    await expect.poll(() => bodyField(page).inputValue()).toBe('{"jobs":[{"id":"MINE"}]}');
    await page.goto(`${sandbox.url()}/_sandbox/#/reference?project=${freshProject()}&operation=asyncImportJobs`);
    await expect.poll(() => form(page).getByLabel('projectId').inputValue()).not.toBe(project);
    await expect.poll(() => bodyField(page).inputValue()).toBe('{"jobs":[{"id":"MINE"}]}');
  });
});
