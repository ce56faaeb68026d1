/** A partner developer looks for what happened to one id, and why it never became a record. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { chooseProject, processed } from './page.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const open = (id: string, options = {}) =>
  browser.open(sandbox.url(), `/entity?project=${project}&id=${encodeURIComponent(id)}`, options);
const eventsOf = (page: Page) => page.getByRole('list', { name: 'Events' }).getByRole('listitem');
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
    const latest = eventsOf(page).first();
    await latest.getByText('2 changed fields').waitFor();
    expect(await latest.getByRole('deletion').textContent()).toBe('"Bonn"');
    expect(await latest.getByRole('insertion').allTextContents()).toEqual(['"Köln"', '"DISPATCH"']);
    const record = page.getByRole('region', { name: 'Current record' });
    await record.getByText('"DISPATCH"').waitFor();
    // The other job of the request had a callback.
    expect(await eventsOf(page).getByText('Callback').count()).toBe(0);
    await page.getByRole('button', { name: 'Newest first' }).click();
    await expect.poll(() => eventsOf(page).first().textContent()).toContain('asyncImportJobs');
    expect(page.url()).toContain('order=oldest');
  });

  test('says why a job never came to be, with links to its request and callback', async () => {
    const answer = await importJobs({ id: 'FAIL-GEOCODE-2' });
    await sandbox.advance(project);
    const page = await open('FAIL-GEOCODE-2', { theme: 'dark' });
    await page.getByText('No record, because asyncImportJobs failed after its response').waitFor();
    await page.getByRole('link', { name: String(answer.headers['x-request-id']) }).click();
    await page.getByRole('complementary', { name: 'Request' }).waitFor();
    await page.goBack();
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
    await processed(page);
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
    const first = eventsOf(page).filter({ hasText: 'syncImportOrders' });
    await first.getByRole('button', { name: /^Fork from here/ }).click();
    await page.waitForURL(new RegExp(`project=${project}-fork`));
    const { body } = await sandbox.control('GET', `/projects/${project}-fork/orders/O-1`);
    expect(body).not.toHaveProperty('status');
  });

  test('an unknown id, and no id at all', async () => {
    await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'O-1' }] });
    const page = await open('O');
    await page.getByText(`No request in the journal of project ${project} names this id`).waitFor();
    const asked = await open('');
    await asked.getByLabel('Id').fill('O-1');
    await asked.getByRole('button', { name: 'Show events' }).click();
    await asked.getByText('Created', { exact: true }).waitFor();
  });
});
