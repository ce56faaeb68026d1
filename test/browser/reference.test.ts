/** A new user connects a client, reads the API reference, sends requests from it, and sees what came of them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { findBarriers } from '../harness/browser.ts';
import { freshProject, type TestSandbox, useSandbox } from '../harness/sandbox.ts';
import { copied, hasFocus, heading, inBrowser, itemWith, textOf, textsOf, useConsole } from './page.ts';

const console = useConsole();
const { sandbox, browser, project, activate, items } = console;
const locked = useSandbox({ apiKeys: ['secret-key'] });
const secure = useSandbox({ tls: 'true' });
const run = promisify(execFile);

const open = (operation = '', { url }: Pick<TestSandbox, 'url'> = sandbox, options = {}) =>
  browser.open(url(), `/reference?project=${project()}&operation=${operation}`, options);
const links = (page: Page) => page.getByRole('navigation', { name: 'Operations' }).getByRole('link');
const article = (page: Page, name: string) => page.getByRole('article', { name, exact: true });
const form = (page: Page) => page.getByRole('form', { name: 'Request' });
const response = (page: Page) => page.getByRole('region', { name: 'Response', exact: true });
const result = (page: Page) => response(page).getByRole('region', { name: 'Result' });
const code = (page: Page) => page.getByRole('region', { name: 'Code' });
const bodyField = (page: Page) => page.getByLabel('Request body');
const press = (page: Page) => form(page).getByRole('button', { name: 'Send' }).click();
const hasStatus = (page: Page, one: number) => response(page).getByText(String(one), { exact: true }).waitFor();

async function execute(page: Page, body: string, status: number): Promise<void> {
  await bodyField(page).fill(body);
  await press(page);
  await hasStatus(page, status);
}

inBrowser('operations are filtered, reached by keys or by a menu, and have a link each', async () => {
  const page = await open();
  const filter = page.getByLabel('Filter operations');
  for (const [typed, ids] of [
    ['ASYNCIMPORTJOBS', ['POSTasyncImportJobs', 'POSTasyncImportJobsInSubproject']],
    ['/LOCATIONS/Batch', ['POSTsubmitLocations']],
    ['users', ['POSTregisterUser', 'PATCHupdateUser']],
  ] as const) {
    await filter.fill(typed);
    await expect.poll(() => textsOf(links(page))).toEqual(ids);
  }
  for (const key of ['ArrowDown', 'ArrowDown', 'k', 'j', 'Enter']) await page.keyboard.press(key);
  await article(page, 'updateUser').waitFor();
  await expect.poll(() => page.url()).toContain('operation=updateUser');
  await page.goto(`${sandbox.url()}/_sandbox/#/reference?project=${project()}&operation=fly`);
  await page.getByRole('alert').getByText('Operation fly not found.').waitFor();
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByLabel('Operation', { exact: true }).selectOption('POST registerUser');
  await article(page, 'registerUser').waitFor();
  await page.getByRole('button', { name: 'Try it' }).click();
  await expect.poll(async () => (await form(page).boundingBox())?.y ?? 999).toBeLessThan(300);
});

inBrowser(
  'the description has fields with types and assumptions, and a response for each status',
  async () => {
    const page = await open('asyncImportJobs');
    const text = article(page, 'asyncImportJobs');
    await text.getByText('Assumption: That it travels in the path.').waitFor();
    const body = text.getByRole('list', { name: 'Body', exact: true });
    const row = (name: string) => itemWith(page, body, name);
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
    expect(await findBarriers(page)).toEqual([]);
    await text.getByRole('link', { name: 'downstreamFailed' }).click();
    await article(page, 'downstreamFailed').waitFor();
    await page.getByRole('group', { name: 'JSON' }).getByText('"failed"').first().waitFor();
    expect(await form(page).count()).toBe(0);
    // The check of so many elements takes long on a slow machine.
  },
  60_000,
);

inBrowser('what came of a request follows, also later, after a reset, and without a response', async () => {
  const example = async (label: string, text: string) => {
    await page.getByLabel('Example').selectOption({ label });
    await expect.poll(() => bodyField(page).inputValue()).toContain(text);
    await press(page);
    await hasStatus(page, 202);
  };
  const page = await open('asyncImportJobs');
  await example('A job with an invalid status', 'DELIVERD');
  await result(page).getByText('1 entry rejected').waitFor();
  await result(page).getByRole('link', { name: 'jobs JOB-' }).waitFor();
  const sent = response(page).getByRole('group', { name: 'JSON' }).first();
  await expect
    .poll(() => textOf(sent))
    .toMatch(/"status": "DELIVERD" .*expected one of PENDING.*did you mean DELIVERED/);
  await response(page)
    .getByText(/^\d+ headers$/)
    .click();
  await response(page).getByText('x-request-id').waitFor();
  const [{ id: first } = {}] = await items('requests');
  const opened = response(page).getByRole('link', { name: 'Open request' });
  expect(await opened.getAttribute('href')).toContain(`request=${String(first)}`);

  await console.freeze();
  await example('A job whose address is not found, because of its id', 'FAIL-GEOCODE');
  await result(page).getByRole('link', { name: 'advance it' }).waitFor();
  await console.advance();
  await result(page).getByText('1 entry failed later').waitFor();
  const [{ id } = {}] = await items('callbacks');
  await result(page)
    .getByRole('link', { name: String(id) })
    .waitFor();
  await console.control('POST', '/reset');
  await response(page).getByText('The request is no longer in the journal.').waitFor();
  await activate({ name: 'given', rules: [{ name: 'only', then: { connection: 'reset' } }] });
  await press(page);
  await response(page).getByText('No response. See Requests for whether the request arrived.').waitFor();
  expect(await result(page).count()).toBe(0);
});

inBrowser('a request has new ids each time, or the text that the user wrote', async () => {
  const page = await open('syncCreateJob');
  // The columns cover no message above them.
  await page.getByText('does not exist yet').click({ trial: true });
  // Also after the request was sent by a copied command.
  await console.createJobs(JSON.parse(await bodyField(page).inputValue()).id);
  for (const count of [2, 3, 4]) {
    if (count === 4) await page.reload();
    await bodyField(page).waitFor();
    await press(page);
    await expect.poll(async () => (await items('jobs')).length).toBe(count);
  }
  await form(page).getByRole('button', { name: 'Send', exact: true }).waitFor();
  await bodyField(page).focus();
  await page.keyboard.press('Control+Enter');
  await expect.poll(async () => (await items('jobs')).length).toBe(5);
  expect(await hasFocus(bodyField(page))).toBe(true);
  await bodyField(page).fill('{"id":"MINE"}');
  await page.getByRole('link', { name: 'Connect' }).click();
  await heading(page, 'Connect').waitFor();
  await page.goBack();
  await expect.poll(() => bodyField(page).inputValue()).toBe('{"id":"MINE"}');
  const other = freshProject();
  await form(page).getByLabel('projectId').fill(other);
  await page.keyboard.press('Tab');
  await expect.poll(() => page.url()).toContain(`project=${other}`);
  await expect.poll(() => bodyField(page).inputValue()).toBe('{"id":"MINE"}');
});

inBrowser('a request has what was just typed, and is sent also without new ids', async () => {
  const page = await open('syncCreateJob');
  await bodyField(page).waitFor();
  for (const key of ['Enter', 'Control+Enter']) {
    const other = freshProject();
    await form(page).getByLabel('projectId').fill(other);
    await page.keyboard.press(key);
    await expect.poll(() => sandbox.items(other, 'jobs')).toHaveLength(1);
    await response(page).getByRole('link', { name: 'Open request' }).waitFor();
  }
  await page.route('**/samples/**', (route) => setTimeout(() => route.abort(), 500));
  await press(page);
  await bodyField(page).fill('{"id":"TYPED"}');
  await hasStatus(page, 409);
  expect(await bodyField(page).inputValue()).toBe('{"id":"TYPED"}');
  await form(page).getByLabel('API key').fill('sandbox-key\u200b');
  await press(page);
  await page.getByRole('status', { name: 'Notices' }).getByText('ISO-8859-1').waitFor();
  await response(page).getByText('The response is shown here.').waitFor();
});

inBrowser('a request of an update is about a record that exists, or names the operation that creates one', async () => {
  const page = await open('syncUpdateOrder');
  await page.getByText(`Project ${project()} has no orders to update yet.`).waitFor();
  await form(page).getByRole('link', { name: 'syncImportOrders' }).click();
  await article(page, 'syncImportOrders').waitFor();
  await press(page);
  await hasStatus(page, 200);
  const [order] = await items('orders');
  await page.goBack();
  await expect.poll(() => form(page).getByLabel('orderId').inputValue()).toBe(order?.['id']);
  await press(page);
  await response(page)
    .getByText(/order .* updated/)
    .waitFor();
  await expect.poll(() => items('orders')).toMatchObject([{ status: 'READY' }]);
});

inBrowser('a secret key is asked for', async () => {
  const page = await open('syncImportOrders', locked);
  await page.getByText('This sandbox has its own API keys.').waitFor();
  await execute(page, '{"orders":[{"id":"O-1"}]}', 401);
  await form(page).getByLabel('API key').fill('secret-key');
  await execute(page, '{"orders":[{"id":"O-1"}]}', 200);
  expect(await page.getByText('This sandbox has its own API keys.').count()).toBe(0);
});

inBrowser('a request is code that sends a body as it is', async () => {
  const page = await open('syncCreateJobs');
  await form(page).getByLabel('Scenario').fill('maintenance');
  await page.keyboard.press('Tab');
  await code(page).getByText("-H 'x-sandbox-scenario: maintenance'").waitFor();
  await press(page);
  await hasStatus(page, 503);
  await form(page).getByLabel('Scenario').fill('');
  // Characters that have a meaning in one of the languages.
  const branchId = `it's "quoted" \\ $HOME \${x} %s """ äöü 😀 true`;
  for (const [id, language, program, args] of [
    ['J-1', 'curl', 'bash', ['-c']],
    ['J-2', 'fetch', process.execPath, ['--input-type=module', '-e']],
  ] as const) {
    const body = JSON.stringify({ jobs: [{ id, branchId }] }, null, 2);
    await bodyField(page).fill(language === 'curl' ? body : body.replace('{', '{ "__proto__": 1,'));
    await code(page).getByRole('button', { name: language }).click();
    await page.evaluate("navigator.clipboard.writeText('')");
    await code(page).getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => copied(page)).not.toBe('');
    await run(program, [...args, await copied(page)], { timeout: 20_000 });
  }
  expect(await items('jobs')).toMatchObject([
    { id: 'J-1', branchId },
    { id: 'J-2', branchId },
  ]);
  expect((await console.control('GET', '/requests?contains=__proto__')).body).toMatchObject({ items: [{}] });
});

inBrowser('Connect has URL, key, secret and certificate, and a first request that runs', async () => {
  const name = `it's $HOME "${project()}"`;
  const page = await browser.open(sandbox.url(), `/connect?project=${encodeURIComponent(name)}`, { height: 1200 });
  const place = page.getByRole('region', { name: 'Connection' });
  await expect
    .poll(() => place.getByRole('code').allTextContents())
    .toEqual([sandbox.url(), 'apikey: sandbox-key', name]);
  await place.getByText('This is the published default.').waitFor();
  await page.getByRole('button', { name: 'Copy secret' }).click();
  await expect.poll(() => copied(page)).toMatch(/^whsec_/);
  const first = page.getByRole('region', { name: 'First request' });
  await first.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect.poll(() => copied(page)).toContain('curl');
  const { stdout } = await run('sh', ['-c', await copied(page)], { timeout: 20_000 });
  expect(stdout).toContain('jobs.import.failed');
  const own = encodeURIComponent(name);
  expect((await sandbox.items(own, 'jobs')).map(({ id }) => id)).toEqual(['ORD-1']);
  const docs = await page.getByRole('link', { name: 'documentation as Markdown' }).getAttribute('href');
  expect(await (await fetch(`${sandbox.url()}${docs}`)).text()).toMatch(/^# Documentation/);
  await place.getByLabel('API key').fill('mine-1');
  await expect.poll(() => first.textContent()).toContain("-H 'apikey: mine-1'");

  const { port } = new URL(secure.tls()?.url ?? '');
  const named = secure.url().replace('127.0.0.1', 'localhost');
  const tls = await browser.open(named, '/connect');
  await tls.getByText(`https://localhost:${port}`, { exact: true }).waitFor();
  const link = tls.getByRole('link', { name: 'Certificate to trust' });
  const [download] = await Promise.all([tls.waitForEvent('download'), link.click()]);
  expect(download.suggestedFilename()).toBe('ca.pem');
});
