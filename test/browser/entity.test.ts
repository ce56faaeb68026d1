/** A partner developer looks for what happened to one id, and why it never became a record. */
import { beforeEach, describe, expect, test } from 'vitest';
import { findBarriers, noBrowser, overflowOf, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { chooseProject } from './bar.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const open = (id: string, options = {}) =>
  browser.open(sandbox.url(), `/entity?project=${project}&id=${encodeURIComponent(id)}`, options);
const importJobs = (...jobs: readonly object[]) => sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });

describe.skipIf(noBrowser)('the page of an id', () => {
  test('shows the events of a job as they happen, with changed fields and the current record', async () => {
    await importJobs({ id: 'JOB-1', address: { locality: 'Bonn' } }, { id: 'FAIL-2' });
    const page = await open('JOB-1');
    await page.getByText('No record yet: asyncImportJobs is pending').waitFor();
    await sandbox.advance(project);
    await page.getByText('Created', { exact: true }).waitFor();
    const update = { id: 'JOB-1', status: 'DISPATCH', address: { locality: 'Köln' } };
    await sandbox.api('PATCH', `/sync/projects/${project}/jobs`, update);
    const latest = page.locator('.event').first();
    await latest.getByText('2 changed fields').waitFor();
    expect(await latest.locator('del').textContent()).toBe('"Bonn"');
    expect(await latest.locator('ins').allTextContents()).toEqual(['"Köln"', '"DISPATCH"']);
    const record = page.getByRole('region', { name: 'Current record' });
    await record.getByText('"DISPATCH"').waitFor();
    // The other job of the request had a callback.
    expect(await page.locator('.event').getByText('Callback').count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Newest first' }).click();
    await expect.poll(() => page.locator('.event').first().textContent()).toContain('asyncImportJobs');
    expect(page.url()).toContain('order=oldest');
  });

  test('shows of a request only what concerns the job, not the scenario or the callback of another', async () => {
    const rules = [{ name: 'no street', when: { item: { id: 'JOB-2' } }, then: { fail: 'No such street' } }];
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'lost-streets', rules }] });
    await importJobs({ id: 'JOB-1' }, { id: 'JOB-2' });
    await sandbox.advance(project);
    const other = await open('JOB-2');
    await other.getByText('No such street').first().waitFor();
    await other.getByRole('link', { name: /^msg_/ }).first().waitFor();
    const page = await open('JOB-1');
    await page.getByText('Created', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Current record' }).waitFor();
    await browser.settle(page);
    expect(await page.locator('main').textContent()).not.toMatch(/JOB-2|No such street|no street|lost-streets|msg_/);
  });

  test('says why a job never came to be, with links to its request and callback', async () => {
    const answer = await importJobs({ id: 'FAIL-GEOCODE-2' });
    await sandbox.advance(project);
    const page = await open('FAIL-GEOCODE-2', { theme: 'dark' });
    await page.getByText('No record, because asyncImportJobs failed after its response').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: String(answer.headers['x-request-id']) }).click();
    await page.getByRole('complementary', { name: 'Request' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: /^msg_/ }).first().click();
    await expect.poll(() => page.url()).toContain('/callbacks?');
  });

  test('shows nothing of the same id in another project, even if that is loaded late', async () => {
    await sandbox.api('PATCH', `/sync/projects/${project}/orders/O-9`, { status: 'READY' });
    const other = freshProject();
    await sandbox.api('POST', `/sync/projects/${other}/orders`, { orders: [{ id: 'O-9' }] });
    const page = await open('O-9');
    const missing = page.getByText('No record, because syncUpdateOrder was rejected');
    await missing.waitFor();
    const held: (() => Promise<void>)[] = [];
    const path = `**/projects/${other}/entities/**`;
    await page.route(path, (one) => void held.push(() => one.continue()));
    await chooseProject(page, other);
    await expect.poll(() => missing.count()).toBe(0);
    await expect.poll(() => held.length).toBeGreaterThan(0);
    await chooseProject(page, project);
    await missing.waitFor();
    const late = page.waitForResponse(path);
    for (const release of held) await release();
    await (await late).finished();
    // The page has processed it as soon as it has processed another response.
    await page.evaluate('fetch(location.href).then((response) => response.text())');
    expect(await missing.count()).toBe(1);
  });

  test('says why the current record could not be loaded', async () => {
    await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'O-1' }] });
    const page = await open('O-1');
    await page.getByRole('region', { name: 'Current record' }).waitFor();
    await page.route(`**/projects/${project}/orders/O-1`, (one) =>
      one.fulfill({ status: 503, json: { message: 'down' } }),
    );
    await sandbox.api('PATCH', `/sync/projects/${project}/orders/O-1`, { status: 'READY' });
    await page.getByRole('alert').getByText('down').waitFor();
  });

  test('the project is forked as it was after an event', async () => {
    await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'O-1' }] });
    await sandbox.api('PATCH', `/sync/projects/${project}/orders/O-1`, { status: 'READY' });
    const page = await open('O-1');
    const first = page.locator('.event', { hasText: 'syncImportOrders' });
    await first.getByRole('button', { name: /^Fork from here/ }).click();
    await page.waitForURL(new RegExp(`project=${project}-fork`));
    const { body } = await sandbox.control('GET', `/projects/${project}-fork/orders/O-1`);
    expect(body).not.toHaveProperty('status');
  });

  test('an unknown id, and no id at all', async () => {
    await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'O-1' }] });
    const page = await open('O');
    await page.getByText(`No request in the journal of project ${project} names this id`).waitFor();
    const asked = await open('', { width: 360, height: 740 });
    await asked.getByLabel('Id').fill('O-1');
    await asked.getByRole('button', { name: 'Show events' }).click();
    await asked.getByText('Created', { exact: true }).waitFor();
    expect(await overflowOf(asked, 'main')).toBe(0);
  });
});
