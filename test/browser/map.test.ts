/** A dispatcher sees drivers, jobs and routes on a map in the colors of the list, now and along their trails. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { ground, isGroundVisible, mapOf, middle, painted } from './map-pixels.ts';
import { backgroundsOf, chooseTheme, textsOf } from './page.ts';

const tileHost = 'https://a.tiles.example';
const sandbox = useSandbox();
const tiled = useSandbox({ mapTiles: 'https://{s}.tiles.example/pictures/{z}/{x}/{y}.png?of=world' });
const browser = useBrowser();
let project = '';

beforeEach(() => {
  project = freshProject();
});

const address = (lng: number, lat: number) => ({ address: { geoJson: { type: 'Point', coordinates: [lng, lat] } } });

const locate = (minute: number, lng: number, lat: number, { api = sandbox.api, deviceId = 'van-1' } = {}) =>
  api('POST', `/projects/${project}/locations`, {
    deviceId,
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
const rows = (page: Page) => page.getByRole('region', { name: 'Items on the map' }).getByRole('listitem');
const texts = (page: Page) => textsOf(rows(page));
const row = (page: Page, name: string) => rows(page).getByRole('button', { name });
const selected = (page: Page) => page.getByRole('region', { name: 'Selected item' });
/** The only driver has the first color, and the route without a driver the second. */
const [driverColor, routeColor, jobColor] = ['driver-1', 'driver-2', 'job'];
const colors = [routeColor, driverColor, jobColor];

describe.skipIf(noBrowser)('map', () => {
  test('draws drivers, jobs and routes on the map, and lists the same items', async () => {
    await fill();
    const page = await open();
    await page.getByText('1 driver, 3 jobs, 1 route; 1 without a location').waitFor();
    await expect
      .poll(() => texts(page))
      .toEqual([
        'driver van-1 -27.60000, 152.90000',
        'R-1 2 stops',
        expect.stringMatching(/^stop 1 A/),
        expect.stringMatching(/^stop 2 B/),
        expect.stringMatching(/^J-1 ARRIVING/),
      ]);
    for (const color of colors) await expect.poll(() => painted(page, color)).toBeGreaterThan(20);
    await expect.poll(() => ground(page)).not.toBe('');

    await page.getByLabel('Search the list').fill('arriving');
    await expect.poll(() => texts(page)).toEqual([expect.stringContaining('J-1')]);
    await row(page, 'J-1').click();
    await selected(page).getByText('-27.80000, 152.40000').waitFor();
    await page.getByRole('link', { name: 'Record of job J-1' }).click();
    await page.getByRole('heading', { name: 'job J-1' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Show on map', exact: true }).click();
    await page.getByRole('button', { name: 'J-1', pressed: true }).waitFor();
  });

  test('names drivers after routes, jobs and users, and others by their device', async () => {
    for (const deviceId of ['tablet-1', 'tablet-2', 'tablet-3', 'tablet-4'])
      await locate(1, 152.9, -27.6, { deviceId });
    const driver = { deviceId: 'tablet-2', firstName: 'Liam', lastName: 'Walker' };
    const routes = [{ id: 'R-1', driver, jobs: [{ id: 'A', ...address(153, -27) }] }];
    await sandbox.api('POST', `/sync/projects/${project}/routes/batch`, { routes });
    const jobs = [{ id: 'B', driver: { employeeId: 'D-7', firstName: 'Ana', deviceId: 'tablet-3' } }];
    await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
    const user = { username: 'mia', password: 'Gehe1m!', type: 'driver', visibleBy: 'S-1', access: 'DRIVER' };
    await sandbox.api('POST', `/projects/${project}/users`, { ...user, moduleDeviceId: 'tablet-4', firstName: 'Mia' });
    const page = await open();
    await row(page, 'driver Liam Walker').waitFor();
    const names = async () =>
      (await texts(page)).filter((text) => text.startsWith('driver')).map((text) => text.replace(/ -27.*/, ''));
    await expect.poll(names).toEqual(['driver Liam Walker', 'driver Ana', 'driver Mia', 'driver tablet-1']);
    await expect.poll(() => texts(page)).toContain('R-1 Liam Walker · 1 stop');
    await row(page, 'driver Liam Walker').click();
    await selected(page).getByText('tablet-2').waitFor();
  });

  test('the slider shows where each driver was, by mouse, by keyboard and in the link', async () => {
    await locate(0, 152, -27);
    await locate(10, 153, -28);
    await locate(8, 150, -25, { deviceId: 'van-2' });
    const page = await open();
    const slider = page.getByRole('slider', { name: 'Time of the trails' });
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('2026-03-02 09:10:00 UTC');
    await slider.focus();
    await page.keyboard.press('Home');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('2026-03-02 09:00:00 UTC');
    await expect.poll(() => texts(page)).toEqual(['driver van-1 -27.00000, 152.00000', 'driver van-2 not located yet']);
    await slider.fill(String(Date.parse('2026-03-02T09:05:00Z')));
    await expect.poll(() => texts(page)).toContain('driver van-1 -27.50000, 152.50000');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('2026-03-02 09:05:05 UTC');
    await expect.poll(() => decodeURIComponent(page.url())).toContain('at=2026-03-02T09:05:05.000Z');
    await page.reload();
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('2026-03-02 09:05:05 UTC');
    await page.getByRole('button', { name: 'Play the trails' }).click();
    await expect.poll(() => slider.inputValue()).not.toBe(String(Date.parse('2026-03-02T09:05:05Z')));
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Latest' }).click();
    await expect.poll(() => texts(page)).toContain('driver van-1 -28.00000, 153.00000');
    await expect.poll(() => page.url()).not.toContain('at=');
  });

  test('a point of a trail has its time and place, and moves the slider there', async () => {
    await locate(0, 152, 0);
    await locate(10, 153, 0);
    const page = await browser.open(sandbox.url(), `/map?project=${project}&view=0.0000,152.5000,9`);
    await expect.poll(() => painted(page, driverColor)).toBeGreaterThan(20);
    await mapOf(page).hover();
    const tooltip = page.getByRole('tooltip');
    await tooltip.getByText('van-1').waitFor();
    await expect.poll(() => tooltip.textContent()).toMatch(/09:0[45]:\d\d UTC-?0\.00\d+, 152\.[45]/);
    await mapOf(page).click();
    await selected(page)
      .getByText(/^2026-03-02 09:0[45]:\d\d UTC$/)
      .waitFor();
    await expect
      .poll(() => textsOf(selected(page).getByRole('term')))
      .toEqual(['Device', 'At', 'Trail', 'Latitude, longitude']);
    await page.getByRole('button', { name: 'Latest' }).click();
    await selected(page).getByText('2026-03-02 09:10:00 UTC').waitFor();
  });

  test('an item selected by keyboard is centered, and the URL contains it', async () => {
    await fill();
    const page = await open();
    await expect.poll(() => painted(page, jobColor)).toBeGreaterThan(20);
    await row(page, 'van-1').focus();
    for (const key of ['ArrowDown', 'j', 'j', 'ArrowDown']) await page.keyboard.press(key);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'J-1', pressed: true }).waitFor();
    await expect.poll(() => page.url()).toContain('chosen=job%3AJ-1');
    // Nothing else is near: no driver is visible, and the job is in the center.
    await expect.poll(() => painted(page, driverColor)).toBe(0);
    // A job without a route is filled with the ground of the page.
    const white = '255,255,255';
    await expect.poll(() => middle(page)).toBe(white);
    await page.reload();
    await page.getByRole('button', { name: 'J-1', pressed: true }).waitFor();
    await expect.poll(() => middle(page)).toBe(white);

    await row(page, 'van-1').focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'van-1', pressed: true }).waitFor();
    await expect.poll(() => painted(page, driverColor)).toBeGreaterThan(20);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'van-1', pressed: false }).waitFor();
    await expect.poll(() => painted(page, routeColor)).toBeGreaterThan(20);

    await page.getByRole('region', { name: 'Map:' }).focus();
    await page.keyboard.press('+');
    await expect.poll(() => page.url()).toContain('view=');
    const near = page.url();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.url()).not.toBe(near);
    await page.getByRole('button', { name: 'Fit' }).click();
    await expect.poll(() => page.url()).not.toContain('view=');
  });

  test('the legend hides and shows each kind on the map and in the list', async () => {
    await fill();
    const page = await open();
    for (const [name, hide, pattern, color] of [
      ['Drivers', 'devices', /^driver/, driverColor],
      ['Stops and jobs', 'jobs', /^stop|^J-1/, jobColor],
    ] as const) {
      await expect.poll(() => painted(page, color)).toBeGreaterThan(20);
      await legend(page, name).click();
      await expect.poll(() => painted(page, color)).toBe(0);
      await expect.poll(async () => (await texts(page)).filter((text) => pattern.test(text))).toEqual([]);
      expect((await texts(page)).length).toBeGreaterThan(0);
      await expect.poll(() => page.url()).toContain(`hide=${hide}`);
      await legend(page, name).click();
    }
    await expect.poll(() => painted(page, driverColor)).toBeGreaterThan(20);
    await legend(page, 'Stops and jobs').click();
    await expect.poll(() => painted(page, jobColor)).toBe(0);
    await expect.poll(() => painted(page, routeColor)).toBeGreaterThan(20);
    await legend(page, 'Routes').click();
    await expect.poll(() => painted(page, routeColor)).toBe(0);
    await expect.poll(() => texts(page)).toEqual([expect.stringMatching(/^driver/)]);
    const before = await painted(page, driverColor);
    await legend(page, 'Trails').click();
    await expect.poll(() => painted(page, driverColor)).toBeLessThan(before);
    await expect.poll(() => page.getByRole('slider').count()).toBe(0);
    await page.reload();
    await expect.poll(() => legend(page, 'Trails').getAttribute('aria-pressed')).toBe('false');
  });

  test('shows the sea where the outlines are exact enough, and no false sea in a city', async () => {
    await fill();
    const page = await browser.open(sandbox.url(), `/map?project=${project}&view=-27.4700,153.0000,11`);
    await expect.poll(() => ground(page)).not.toBe('');
    await expect.poll(() => isGroundVisible(page)).toBe(false);
    const [land] = await backgroundsOf(mapOf(page));
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await expect.poll(() => isGroundVisible(page)).toBe(true);
    await expect.poll(() => backgroundsOf(mapOf(page))).not.toEqual([land]);
  });

  test('updates items that move', async () => {
    const page = await open();
    await page.getByText('No locations yet').waitFor();
    await locate(0, 152.6, -27.2);
    await expect.poll(() => texts(page)).toEqual(['driver van-1 -27.20000, 152.60000']);
    await locate(1, 152.7, -27.3);
    await expect.poll(() => texts(page)).toEqual(['driver van-1 -27.30000, 152.70000']);
    await page.getByRole('slider').waitFor();
    await expect.poll(() => painted(page, 'driver-1')).toBeGreaterThan(20);
  });

  test('another theme redraws the map at once', async () => {
    await fill();
    const page = await open();
    await expect.poll(() => ground(page)).not.toBe('');
    const light = await ground(page);
    await chooseTheme(page, 'Dark');
    await expect.poll(() => ground(page)).toMatch(/^\d/);
    await expect.poll(() => ground(page)).not.toBe(light);
    for (const color of colors) await expect.poll(() => painted(page, color)).toBeGreaterThan(20);
    await chooseTheme(page, 'Light');
    await expect.poll(() => ground(page)).toBe(light);
    for (const color of colors) await expect.poll(() => painted(page, color)).toBeGreaterThan(20);
  });

  test('with tiles, requests go only to the tile host, and none if tiles are hidden', async () => {
    const asked: string[] = [];
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
    const answer = (url: string) => {
      asked.push(url);
      return { contentType: 'image/png', body: Buffer.from(pixel, 'base64') };
    };
    await locate(0, 152.6, -27.2, { api: tiled.api });
    const otherHost = { origin: tileHost, answer };
    const page = await browser.open(tiled.url(), `/map?project=${project}`, { otherHost });
    const shown = () => mapOf(page).getByRole('presentation').count();
    await expect.poll(shown).toBeGreaterThan(0);
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    for (const url of asked)
      expect(url).toMatch(/^https:\/\/a\.tiles\.example\/pictures\/\d+\/\d+\/\d+\.png\?of=world$/);
    await page.getByText('Tiles: a.tiles.example').waitFor();
    await expect.poll(() => ground(page)).toBe('');

    await legend(page, 'Streets').click();
    await expect.poll(() => ground(page)).not.toBe('');
    await expect.poll(shown).toBe(0);
    const before = asked.length;
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await expect.poll(() => page.url()).toContain('view=');
    expect(asked.length).toBe(before);
  });
});
