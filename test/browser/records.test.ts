/** A partner developer finds a record among many, and the requests that changed it. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { noBrowser, overflowOf, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

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
const idsIn = (page: Page, table: string) => {
  const rows = page.getByRole('region', { name: table }).getByRole('rowheader');
  return async () => (await rows.allTextContents()).map((text) => text.trim());
};
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
    const titles = async () => (await tabs.getByRole('link').allTextContents()).map((text) => text.trim());
    await expect.poll(titles).toEqual(['Jobs 3', 'Orders 2', 'Routes 1', 'Users 1', 'Devices 0']);
    await expect.poll(async () => (await idsIn(page, 'Jobs')()).toSorted()).toEqual(['J-1', 'J-2', 'J-3']);
    for (const [title, ids] of [
      ['Orders', ['O-1', 'O-2']],
      ['Routes', ['R-1']],
      ['Users', ['ana']],
    ] as const) {
      await tabs.getByRole('link', { name: title }).click();
      await expect.poll(async () => (await idsIn(page, title)()).toSorted()).toEqual(ids);
      expect(page.url()).toContain(`collection=${title.toLowerCase()}`);
    }
    await tabs.getByRole('link', { name: 'Devices' }).click();
    await page.getByText('No devices yet').waitFor();
    // All fields of a user except the password are shown.
    await tabs.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('link', { name: 'ana' }).click();
    await page.getByText('"DRIVER"').first().waitFor();
    expect(await page.locator('main').textContent()).not.toContain('Gehe1m!');
  });

  test('250 jobs are shown in pages; the URL contains page, order and search', async () => {
    await createJobs(...named(250));
    const page = await open('&sort=id');
    const ids = idsIn(page, 'Jobs');
    const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `J-${from + n}`);
    await expect.poll(ids).toEqual(range(1, 50));
    const pager = page.getByRole('navigation', { name: 'Pages' });
    expect(await pager.getByRole('status').textContent()).toBe('1 to 50 of 250');
    expect(await pager.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true);
    await pager.getByRole('button', { name: 'Next' }).click();
    await expect.poll(ids).toEqual(range(51, 100));
    await pager.getByRole('button', { name: 'Last' }).click();
    await expect.poll(ids).toEqual(range(201, 250));
    expect(page.url()).toContain('page=5');
    expect(await pager.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
    await page.reload();
    await expect.poll(ids).toEqual(range(201, 250));

    const heading = page.getByRole('columnheader', { name: 'Id' });
    await heading.getByRole('button').click();
    await expect.poll(ids).toEqual(
      range(201, 250)
        .toReversed()
        .map((_, n) => `J-${250 - n}`),
    );
    expect(await heading.getAttribute('aria-sort')).toBe('descending');
    expect(page.url()).toContain('sort=-id');

    await page.getByLabel('Search jobs').fill('j-24');
    await expect.poll(ids).toEqual([...range(240, 249).toReversed(), 'J-24']);
    await page.getByText('11 of 250 jobs').waitFor();
    expect(await pager.count()).toBe(0);
    expect(page.url()).toContain('q=j-24');
    await page.getByLabel('Search jobs').fill('nothing such');
    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.getByText('250 of 250 jobs').waitFor();
  });

  test('long texts are cut so that the sorted column stays visible', async () => {
    const deviceId = 'device-7f3e9b52-77f5-4c0d-9f0a-2b9e61a3a1de';
    const driver = { firstName: 'Maximiliane', lastName: 'Featherstonehaugh', deviceId };
    const address = { streetAddress: '1200 Kent Street, Level 14', locality: 'Woolloongabba', postcode: '4102' };
    const job = { ...{ id: 'J-1', status: 'PENDING_PICKED', driver, address }, deliveryDate: '2026-03-02T09:30:00Z' };
    expect((await createJobs(job)).status).toBe(200);
    const page = await open();
    const table = page.getByRole('region', { name: 'Jobs' });
    const cell = table.getByRole('cell').filter({ hasText: deviceId });
    expect(await cell.getAttribute('title')).toBe(`Maximiliane Featherstonehaugh ${deviceId}`);
    expect(await overflowOf(page, `td[title*="${deviceId}"]`)).toBeGreaterThan(0);
    const sorted = await table.getByRole('columnheader', { name: 'Updated' }).boundingBox();
    expect((sorted?.x ?? 1280) + (sorted?.width ?? 0)).toBeLessThanOrEqual(1280);
    expect(await overflowOf(page, '.records')).toBe(0);
  });

  test('a table that is wider than the display has a shadow at the side with more columns', async () => {
    await createJobs({ id: 'J-1', status: 'PENDING_PICKED' });
    const page = await browser.open(sandbox.url(), `/records?project=${project}`, { width: 360, height: 740 });
    const table = page.getByRole('region', { name: 'Jobs' });
    const { x, y, width, height } = (await table.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    // Below the text, where only the background is.
    const clip = (left: number) => ({ x: left, y: y + height - 6, width: 3, height: 3 });
    const right = () => page.screenshot({ clip: clip(x + width - 5) });
    const before = await right();
    const ground = await page.screenshot({ clip: clip(x + width / 2) });
    expect(before.equals(ground)).toBe(false);
    await page.evaluate('document.querySelector(".records").scrollTo(10_000, 0)');
    await expect.poll(async () => (await right()).equals(ground)).toBe(true);
  });

  test('shows records as soon as a request creates or changes them', async () => {
    await createJobs({ id: 'J-1', status: 'PENDING' });
    const page = await open();
    const row = page.getByRole('row').filter({ hasText: 'J-1' });
    await row.getByText('PENDING', { exact: true }).waitFor();
    await sandbox.api('PATCH', `/sync/projects/${project}/jobs`, { id: 'J-1', status: 'DELIVERED' });
    await row.getByText('DELIVERED', { exact: true }).waitFor();
    await sandbox.control('POST', `/projects/${project}/reset`);
    await page.getByText('No jobs yet').waitFor();
  });

  test('shows records that are processed long after their request', async () => {
    const page = await browser.open(slow.url(), `/records?project=${project}`);
    await slow.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-1' }] });
    await page.getByText('No jobs yet').waitFor();
    await expect.poll(idsIn(page, 'Jobs')).toEqual(['J-1']);
  });

  test('a record shows its fields and related requests, and each request opens next to it', async () => {
    await createJobs({ id: 'J-1', status: 'PENDING' }, { id: 'J-2' });
    const changed = await sandbox.api('PATCH', `/sync/projects/${project}/jobs`, {
      ...{ id: 'J-1', status: 'DELIVERED', colour: 'red' },
    });
    const page = await open('&q=J-');
    await page.getByRole('link', { name: 'J-1' }).click();
    await page.getByRole('heading', { level: 1, name: 'Job J-1' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    expect(page.url()).toContain('record=J-1');
    const { body: stored } = await sandbox.control('GET', `/projects/${project}/jobs/J-1`);
    expect(JSON.parse((await page.locator('main pre').textContent()) ?? '')).toEqual(stored);
    expect(stored.status).toBe('DELIVERED');

    const history = page.getByRole('region', { name: 'Related requests' }).locator('tbody').getByRole('row');
    const rowsOf = async () => (await history.allTextContents()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(await rowsOf()).toEqual([
      expect.stringMatching(/syncUpdateJob 200 .* 1 warning/),
      expect.stringContaining('syncCreateJobs 200'),
    ]);
    await history.getByRole('link', { name: String(changed.headers['x-request-id']) }).click();
    const drawer = page.getByRole('complementary', { name: 'Request' });
    await drawer.getByText('unknown field "colour"').first().waitFor();
    expect(page.url()).toContain('record=J-1');
    await drawer.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: '← All jobs' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('J-1');
    expect(page.url()).toContain('q=J-');

    // A request links to its other records.
    await page.getByRole('link', { name: 'J-2' }).click();
    await page.getByRole('row').filter({ hasText: 'syncCreateJobs' }).getByRole('link').click();
    await drawer.getByRole('link', { name: 'jobs J-1' }).click();
    await page.getByRole('heading', { level: 1, name: 'Job J-1' }).waitFor();
    expect(await drawer.count()).toBe(0);
  });

  test('a missing record lists the requests that refer to it', async () => {
    await sandbox.api('PATCH', `/sync/projects/${project}/orders/O-9`, { status: 'READY' });
    const page = await open('&collection=orders&record=O-9');
    await page.getByText(`No order O-9 in project ${project}`).waitFor();
    await page.getByRole('row').filter({ hasText: 'syncUpdateOrder' }).getByText('404').waitFor();
  });

  test('a route lists its jobs in order, with links', async () => {
    const jobs = [{ id: 'B' }, { id: 'C', status: 'ARRIVING' }, { id: 'A' }];
    await sandbox.api('POST', `/sync/projects/${project}/routes/batch`, { routes: [{ id: 'R-1', jobs }] });
    const page = await open('&collection=routes&record=R-1');
    await expect.poll(idsIn(page, 'Jobs in order')).toEqual(['B', 'C', 'A']);
    const { body: stored } = await sandbox.control('GET', `/projects/${project}/routes/R-1`);
    expect(stored.jobs).toEqual(['B', 'C', 'A']);
    await page.getByRole('row').filter({ hasText: 'ARRIVING' }).getByRole('link', { name: 'C' }).click();
    await page.getByRole('heading', { level: 1, name: 'Job C' }).waitFor();
    await page.getByRole('link', { name: 'R-1' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Route R-1' }).waitFor();
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
    const trail = page.getByRole('region', { name: 'Trail' }).locator('tbody').getByRole('row');
    await page.getByText('60 locations').waitFor();
    expect(await trail.count()).toBe(50);
    expect(await trail.first().textContent()).toContain('09:59:00');
    expect(await trail.first().textContent()).toContain('153.59000, -27.40000');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'Last' }).click();
    await expect.poll(() => trail.count()).toBe(10);
    expect(await trail.last().textContent()).toContain('09:00:00');
    expect(page.url()).toContain('trail=2');
    await locate(61);
    await page.getByText('61 locations').waitFor();
    expect(((await sandbox.items(project, 'locations/van-1')) as object[]).length).toBe(61);
  });
});
