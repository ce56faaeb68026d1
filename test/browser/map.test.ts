/** A dispatcher sees devices, jobs and routes on a map in the colors of the legend, and in a table. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, overflowOf, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { ground, middle, painted } from './map-pixels.ts';

const tileHost = 'https://a.tiles.example';
const sandbox = useSandbox();
const tiled = useSandbox({ mapTiles: 'https://{s}.tiles.example/pictures/{z}/{x}/{y}.png?of=world' });
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const address = (lng: number, lat: number) => ({ address: { geoJson: { type: 'Point', coordinates: [lng, lat] } } });

const locate = (minute: number, lng: number, lat: number, { api } = sandbox) =>
  api('POST', `/projects/${project}/locations`, {
    deviceId: 'van-1',
    eventDateTime: new Date(Date.parse('2026-03-02T09:00:00Z') + minute * 60_000).toISOString(),
    geoJson: { type: 'Point', coordinates: [lng, lat] },
  });

/** A device with a trail, two jobs of a route, one job without a route, and one without a location. */
async function fill(): Promise<void> {
  await locate(0, 152.6, -27.2);
  await locate(1, 152.9, -27.6);
  const jobs = [
    { id: 'A', ...address(153, -27) },
    { id: 'B', ...address(153.4, -27.3) },
  ];
  await sandbox.api('POST', `/sync/projects/${project}/routes/batch`, { routes: [{ id: 'R-1', jobs }] });
  const others = [{ id: 'J-1', status: 'ARRIVING', ...address(152.4, -27.8) }, { id: 'J-2' }];
  await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: others });
}

const open = () => browser.open(sandbox.url(), `/map?project=${project}`);
const legend = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Map layers' }).getByRole('button', { name, exact: true });
const rows = (page: Page) => page.getByRole('region', { name: 'Items on the map' }).locator('tbody').getByRole('row');
const texts = async (page: Page) =>
  (await rows(page).allTextContents()).map((text) => text.replaceAll(/\s+/g, ' ').trim());

describe.skipIf(noBrowser)('map', () => {
  test('draws devices, jobs and routes on the map, and lists the same items in the table', async () => {
    await fill();
    const page = await open();
    await page.getByText('1 device, 3 jobs, 1 route; 1 without a location').waitFor();
    expect(await texts(page)).toEqual([
      expect.stringMatching(/^device van-1 -27\.60000, 152\.90000 Located at 2026-03-02T09:01:00.*trail: 2 loc/),
      expect.stringMatching(/^route R-1 -27\.00000, 153\.00000 and 1 more Stops in order: A, B /),
      expect.stringMatching(/^job A -27\.00000, 153\.00000 .*on route R-1/),
      expect.stringMatching(/^job B -27\.30000, 153\.40000 .*on route R-1/),
      expect.stringMatching(/^job J-1 -27\.80000, 152\.40000 ARRIVING /),
    ]);
    for (const name of ['devices', 'jobs', 'routes']) await expect.poll(() => painted(page, name)).toBeGreaterThan(20);
    await expect.poll(() => ground(page)).not.toBe('');

    await page.getByLabel('Search the table').fill('arriving');
    await expect.poll(() => texts(page)).toEqual([expect.stringContaining('job J-1')]);
    await page.getByRole('link', { name: 'Record of job J-1' }).click();
    await page.getByRole('heading', { level: 1, name: 'Job J-1' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Show on map', exact: true }).click();
    await page.getByRole('button', { name: 'job J-1', pressed: true }).waitFor();
  });

  test('its scale fits at every zoom, and it says how to show streets', async () => {
    const page = await browser.open(sandbox.url(), `/map?project=${project}&view=0.0000,0.0000,0`, {
      ...{ width: 360, height: 740 },
    });
    for (let zoom = 0; zoom < 8; zoom += 1) {
      await expect.poll(() => decodeURIComponent(page.url())).toMatch(new RegExp(`,${zoom}$`));
      expect(await overflowOf(page, '.leaflet-control-scale-line')).toBeLessThanOrEqual(0);
      await page.getByRole('button', { name: 'Zoom in' }).click();
    }
    await page.getByText('To show streets, start the sandbox with --map-tiles.').waitFor();
  });

  test('says how many of many devices have a trail', async () => {
    const locations = Array.from({ length: 101 }, (_, n) => ({
      deviceId: `van-${n}`,
      eventDateTime: '2026-03-02T09:30:00Z',
      geoJson: { type: 'Point', coordinates: [n / 10, 50] },
    }));
    await sandbox.api('POST', `/projects/${project}/locations/batch`, { locations });
    const page = await open();
    await page.getByText('101 devices, 0 jobs, 0 routes; trails only for the first 100 devices').waitFor();
  });

  test('an item selected by keyboard is centered, and the URL contains it', async () => {
    await fill();
    const page = await open();
    const device = page.getByRole('button', { name: 'device van-1' });
    await expect.poll(() => painted(page, 'jobs')).toBeGreaterThan(20);
    const before = await middle(page);
    await page.getByRole('button', { name: 'job J-1' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'job J-1', pressed: true }).waitFor();
    expect(page.url()).toContain('chosen=job%3AJ-1');
    // Nothing else is near: no device is visible, and the job is in the center.
    await expect.poll(() => painted(page, 'devices')).toBe(0);
    // A job is filled with the ground of the page.
    const white = '255,255,255';
    expect([before, await middle(page)]).toEqual([expect.not.stringMatching(white), white]);
    await page.reload();
    await page.getByRole('button', { name: 'job J-1', pressed: true }).waitFor();
    await expect.poll(() => middle(page)).toBe(white);

    await device.focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'device van-1', pressed: true }).waitFor();
    await expect.poll(() => painted(page, 'devices')).toBeGreaterThan(20);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'device van-1', pressed: false }).waitFor();
    await expect.poll(() => painted(page, 'routes')).toBeGreaterThan(20);

    await page.getByRole('region', { name: 'Map:' }).focus();
    await page.keyboard.press('+');
    await expect.poll(() => page.url()).toContain('view=');
    const near = page.url();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.url()).not.toBe(near);
    await page.getByRole('button', { name: 'Fit' }).click();
    await expect.poll(() => page.url()).not.toContain('view=');
  });

  test('the legend hides and shows each kind on the map and in the table', async () => {
    await fill();
    const page = await open();
    for (const [name, kind] of [
      ['devices', 'device'],
      ['jobs', 'job'],
      ['routes', 'route'],
    ] as const) {
      await expect.poll(() => painted(page, name)).toBeGreaterThan(20);
      await legend(page, name).click();
      await expect.poll(() => painted(page, name)).toBe(0);
      expect((await texts(page)).filter((text) => text.startsWith(`${kind} `))).toEqual([]);
      expect((await texts(page)).length).toBeGreaterThan(0);
      expect(page.url()).toContain(`hide=${name}`);
      await legend(page, name).click();
    }
    await expect.poll(() => painted(page, 'devices')).toBeGreaterThan(20);
    const before = await painted(page, 'devices');
    await legend(page, 'trails').click();
    await expect.poll(() => painted(page, 'devices')).toBeLessThan(before);
    expect(await texts(page)).toContainEqual(expect.not.stringMatching('trail:'));
    await page.reload();
    await expect.poll(() => legend(page, 'trails').getAttribute('aria-pressed')).toBe('false');
  });

  test('updates items that move', async () => {
    const page = await open();
    await page.getByText('No locations yet').waitFor();
    await locate(0, 152.6, -27.2);
    await expect.poll(() => texts(page)).toEqual([expect.stringContaining('device van-1 -27.20000, 152.60000')]);
    await locate(1, 152.7, -27.3);
    await expect.poll(() => texts(page)).toEqual([expect.stringContaining('device van-1 -27.30000, 152.70000')]);
    await page.getByText('trail: 2 locations').waitFor();
    await expect.poll(() => painted(page, 'devices')).toBeGreaterThan(20);
  });

  test('another theme redraws the map at once', async () => {
    await fill();
    const page = await open();
    await expect.poll(() => ground(page)).not.toBe('');
    const light = await ground(page);
    await page.getByLabel('Theme').selectOption('dark');
    await expect.poll(() => ground(page)).toMatch(/^\d/);
    await expect.poll(() => ground(page)).not.toBe(light);
    for (const name of ['devices', 'jobs', 'routes']) await expect.poll(() => painted(page, name)).toBeGreaterThan(20);
    await page.getByLabel('Theme').selectOption('light');
    await expect.poll(() => ground(page)).toBe(light);
    for (const name of ['devices', 'jobs', 'routes']) await expect.poll(() => painted(page, name)).toBeGreaterThan(20);
  });

  test('with tiles, requests go only to the tile host, and none if tiles are hidden', async () => {
    const asked: string[] = [];
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
    const answer = (url: string) => {
      asked.push(url);
      return { contentType: 'image/png', body: Buffer.from(pixel, 'base64') };
    };
    await locate(0, 152.6, -27.2, tiled);
    const otherHost = { origin: tileHost, answer };
    const page = await browser.open(tiled.url(), `/map?project=${project}`, { otherHost });
    const shown = () =>
      page.evaluate("[...document.querySelectorAll('.leaflet-tile')].filter((one) => one.naturalWidth).length");
    await expect.poll(shown).toBeGreaterThan(0);
    for (const url of asked)
      expect(url).toMatch(/^https:\/\/a\.tiles\.example\/pictures\/\d+\/\d+\/\d+\.png\?of=world$/);
    expect(await page.getByText('Tiles: a.tiles.example').count()).toBe(1);
    expect(await page.getByText('--map-tiles').count()).toBe(0);
    await expect.poll(() => ground(page)).toBe('');

    await legend(page, 'tiles').click();
    await expect.poll(() => ground(page)).not.toBe('');
    expect(await shown()).toBe(0);
    const before = asked.length;
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await expect.poll(() => page.url()).toContain('view=');
    expect(asked.length).toBe(before);
  });
});
