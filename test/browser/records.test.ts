/** A partner developer finds a record among many, and the requests that changed it. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { bodyRows, focused, main, requestDetail, rowLinks, textsOf } from './page.ts';

const changes = { downstream: { processing: '3s' } };
const profile = join(mkdtempSync(join(tmpdir(), 'profile-')), 'profile.yaml');
writeFileSync(profile, JSON.stringify(changes));

const sandbox = useSandbox();
const slow = useSandbox({ profile }, { ...shippedProfile, ...changes });
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const createJobs = (...jobs: readonly object[]) =>
  sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
const open = (query = '') => browser.open(sandbox.url(), `/records?project=${project}${query}`);
const idsIn = (page: Page, table: string) => () => textsOf(rowLinks(page, table));
const eventsOf = (part: Locator) => part.getByRole('list', { name: 'Events' }).getByRole('listitem');
const named = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `J-${n + 1}` }));

describe.skipIf(noBrowser)('records', () => {
  test('each collection has a tab with its number of records', async () => {
    await createJobs(...named(3));
    await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'O-1' }, { id: 'O-2' }] });
    await sandbox.api('POST', `/sync/projects/${project}/routes/batch`, { routes: [{ id: 'R-1', jobs: [] }] });
    const user = { username: 'ana', password: 'Gehe1m!', type: 'driver', visibleBy: 'S-1', access: 'DRIVER' };
    expect((await sandbox.api('POST', `/projects/${project}/users`, user)).status).toBe(201);
    const page = await open();
    const tabs = page.getByRole('navigation', { name: 'Collections' });
    await expect
      .poll(() => textsOf(tabs.getByRole('link')))
      .toEqual(['Jobs 3', 'Orders 2', 'Routes 1', 'Users 1', 'Devices 0']);
    await expect.poll(async () => (await idsIn(page, 'Jobs')()).toSorted()).toEqual(['J-1', 'J-2', 'J-3']);
    for (const [title, ids] of [
      ['Orders', ['O-1', 'O-2']],
      ['Routes', ['R-1']],
      ['Users', ['ana']],
    ] as const) {
      await tabs.getByRole('link', { name: title }).click();
      await expect.poll(async () => (await idsIn(page, title)()).toSorted()).toEqual(ids);
      await expect.poll(() => page.url()).toContain(`collection=${title.toLowerCase()}`);
    }
    await tabs.getByRole('link', { name: 'Devices' }).click();
    await page.getByText('No devices yet').waitFor();
    // All fields of a user except the password are shown.
    await tabs.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('link', { name: 'ana' }).click();
    await page.getByText('"DRIVER"').first().waitFor();
    expect(await main(page).textContent()).not.toContain('Gehe1m!');
  });

  test('250 jobs are one table that is sorted and searched; the URL contains both', async () => {
    await createJobs(...named(250));
    const page = await open('&sort=id');
    const grid = page.getByRole('grid', { name: 'Jobs' });
    const first = async () => (await idsIn(page, 'Jobs')()).slice(0, 3);
    await expect.poll(first).toEqual(['J-1', 'J-2', 'J-3']);
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('251');
    // Only the visible rows are rendered.
    expect((await idsIn(page, 'Jobs')()).length).toBeLessThan(100);
    const heading = grid.getByRole('columnheader', { name: 'Id' });
    await expect.poll(() => heading.getAttribute('aria-sort')).toBe('ascending');
    await grid.getByRole('columnheader', { name: 'Status' }).getByRole('button').click();
    await heading.getByRole('button').click();
    await expect.poll(first).toEqual(['J-250', 'J-249', 'J-248']);
    await expect.poll(() => page.url()).toContain('sort=-id');

    await page.getByLabel('Search jobs').fill('j-24');
    await expect.poll(async () => (await idsIn(page, 'Jobs')()).length).toBe(11);
    await page.getByText('11 of 250 jobs').waitFor();
    await expect.poll(() => page.url()).toContain('q=j-24');
    await page.getByLabel('Search jobs').fill('nothing such');
    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.getByText('250 jobs', { exact: true }).waitFor();
  });

  test('a search for an id without a record leads to the reason', async () => {
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-1' }, { id: 'REFUSE-2' }] });
    const page = await open('&q=refuse-2');
    const link = page.getByRole('link', { name: 'REFUSE-2' });
    await link.waitFor();
    await link.click();
    await page.getByText('No record, because asyncImportJobs was rejected').waitFor();
  });

  test('an id without a record is above the records that a search finds', async () => {
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'REFUSE-2' }, { id: 'REFUSE-13' }] });
    await createJobs({ id: 'J-REFUSE-2' });
    const page = await open('&q=refuse-2');
    const above = page.getByRole('list', { name: 'Ids without a record here' }).getByRole('listitem');
    await expect.poll(() => textsOf(above)).toEqual(['REFUSE-2 no record job: see why']);
    await expect.poll(idsIn(page, 'Jobs')).toEqual(['J-REFUSE-2']);
  });

  test('a device has the name of its driver, its time in UTC, and its place as on the map', async () => {
    const place = { eventDateTime: '2026-03-02T09:30:00+10:00', geoJson: { type: 'Point', coordinates: [153, -27.4] } };
    await sandbox.api('POST', `/projects/${project}/locations`, { deviceId: 'van-1', ...place });
    await createJobs({ id: 'J-1', driver: { deviceId: 'van-1', firstName: 'Ana', lastName: 'Silva' } });
    const page = await open('&collection=locations');
    const row = page.getByRole('grid', { name: 'Devices' }).getByRole('row').nth(1);
    await row.getByText('Ana Silva').waitFor();
    await row.getByText('2026-03-01 23:30:00', { exact: true }).waitFor();
    await row.getByText('-27.40000, 153.00000').waitFor();
  });

  test('shows records as soon as a request creates or changes them', async () => {
    await createJobs({ id: 'J-1', status: 'PENDING' });
    const page = await open();
    const row = page.getByRole('grid', { name: 'Jobs' }).getByRole('row').filter({ hasText: 'J-1' });
    await row.getByText('PENDING', { exact: true }).waitFor();
    await sandbox.api('PATCH', `/sync/projects/${project}/jobs`, { id: 'J-1', status: 'DELIVERED' });
    await row.getByText('DELIVERED', { exact: true }).waitFor();
    await sandbox.control('POST', `/projects/${project}/reset`);
    await page.getByText('No jobs yet').waitFor();
  });

  test('shows records that are processed long after their request', async () => {
    const page = await browser.open(slow.url(), `/records?project=${project}`);
    await page.getByText('No jobs yet').waitFor();
    await slow.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-1' }] });
    await expect.poll(idsIn(page, 'Jobs')).toEqual(['J-1']);
  });

  test('a record opens beside the list, with its fields and only its own events', async () => {
    await sandbox.freeze(project);
    const rules = [{ name: 'no street', when: { item: { id: 'FAIL-J-3' } }, then: { fail: 'No such street' } }];
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'lost-streets', rules }] });
    await sandbox.api('POST', `/async/projects/${project}/jobs`, {
      jobs: [{ id: 'J-1', status: 'PENDING' }, { id: 'J-2' }, { id: 'FAIL-J-3' }],
    });
    await sandbox.advance(project);
    expect(await sandbox.items(project, 'callbacks')).toHaveLength(1);
    const changed = await sandbox.api('PATCH', `/sync/projects/${project}/jobs`, {
      ...{ id: 'J-1', status: 'DELIVERED', colour: 'red' },
    });
    const page = await open('&q=J-&sort=id');
    const grid = page.getByRole('grid', { name: 'Jobs' });
    await page.getByRole('link', { name: 'J-1' }).click();
    const record = page.getByRole('complementary', { name: 'Record' });
    await record.getByRole('heading', { name: 'job J-1' }).waitFor();
    expect(page.url()).toContain('record=J-1');
    const { body: stored } = await sandbox.control('GET', `/projects/${project}/jobs/J-1`);
    await expect
      .poll(async () => JSON.parse((await record.getByRole('group', { name: 'JSON' }).textContent()) ?? '{}'))
      .toEqual(stored);
    const events = eventsOf(record);
    await expect
      .poll(() => textsOf(events))
      .toEqual([
        expect.stringMatching(/^1 changed field status "PENDING" → "DELIVERED"/),
        expect.stringContaining('syncUpdateJob 200'),
        expect.stringContaining('Created'),
        expect.stringContaining('asyncImportJobs 202'),
      ]);
    // The third job of the request has a callback and a scenario.
    expect(await record.textContent()).not.toMatch(/FAIL-J-3|No such street|lost-streets|msg_/);
    await events.getByRole('link', { name: String(changed.headers['x-request-id']) }).click();
    const drawer = requestDetail(page);
    await drawer.getByText('unknown field "colour"').first().waitFor();
    // Back leads to the record, and Escape closes it. The table then has the focus.
    await page.goBack();
    await drawer.waitFor({ state: 'detached' });
    await grid.focus();
    await page.keyboard.press('ArrowDown');
    await record.getByRole('heading', { name: 'job J-2' }).waitFor();
    await expect.poll(() => events.count()).toBe(2);
    await page.keyboard.press('Escape');
    await record.waitFor({ state: 'detached' });
    expect(page.url()).toContain('q=J-');
    await expect.poll(() => focused(page)).toBe('Jobs');
  });

  test('a route lists its jobs in order, with links', async () => {
    const jobs = [{ id: 'B' }, { id: 'C', status: 'ARRIVING' }, { id: 'A' }];
    await sandbox.api('POST', `/sync/projects/${project}/routes/batch`, { routes: [{ id: 'R-1', jobs }] });
    const page = await open('&collection=routes&record=R-1');
    const jobIds = page.getByRole('region', { name: 'Jobs in order' }).getByRole('rowheader');
    await expect.poll(() => textsOf(jobIds)).toEqual(['B', 'C', 'A']);
    const { body: stored } = await sandbox.control('GET', `/projects/${project}/routes/R-1`);
    expect(stored.jobs).toEqual(['B', 'C', 'A']);
    await page.getByRole('row').filter({ hasText: 'ARRIVING' }).getByRole('link', { name: 'C' }).click();
    await page.getByRole('heading', { name: 'job C' }).waitFor();
    await page.getByRole('link', { name: 'R-1' }).first().click();
    await page.getByRole('heading', { name: 'route R-1' }).waitFor();
  });

  test('a device shows its trail, newest first, with new locations', async () => {
    const locate = (minute: number) =>
      sandbox.api('POST', `/projects/${project}/locations`, {
        deviceId: 'van-1',
        eventDateTime: new Date(Date.parse('2026-03-02T09:00:00Z') + minute * 60_000).toISOString(),
        geoJson: { type: 'Point', coordinates: [153 + minute / 100, -27.4] },
      });
    for (let minute = 0; minute < 60; minute += 1) await locate(minute);
    const page = await open('&collection=locations&record=van-1');
    const trail = bodyRows(page.getByRole('region', { name: 'Trail' }));
    await page.getByText('60 locations').waitFor();
    await expect.poll(() => trail.count()).toBe(50);
    await expect.poll(() => trail.first().textContent()).toMatch(/09:59:00.*-27\.40000, 153\.59000/s);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'Last' }).click();
    await expect.poll(() => trail.count()).toBe(10);
    await expect.poll(() => trail.last().textContent()).toContain('09:00:00');
    await expect.poll(() => page.url()).toContain('trail=2');
    await locate(61);
    await page.getByText('61 locations').waitFor();
    expect(((await sandbox.items(project, 'locations/van-1')) as object[]).length).toBe(61);
  });
});
