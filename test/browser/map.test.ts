/** A dispatcher sees drivers with their trails, routes with their stops, and jobs on a map and in a list. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { useSandbox } from '../harness/sandbox.ts';
import { chooseDark, inBrowser, navigation, textsOf, useConsole } from './page.ts';

const console = useConsole();
const { sandbox, browser, project, createJobs } = console;
const tiled = useSandbox({ mapTiles: 'https://{s}.tiles.example/pictures/{z}/{x}/{y}.png?of=world' });

const address = (lng: number, lat: number) => ({ address: { geoJson: { type: 'Point', coordinates: [lng, lat] } } });
const locate = (minute: number, lng: number, lat: number, { api = sandbox.api, deviceId = 'van-1' } = {}) =>
  api('POST', `/projects/${project()}/locations`, {
    deviceId,
    eventDateTime: new Date(Date.parse('2026-03-02T09:00:00Z') + minute * 60_000).toISOString(),
    geoJson: { type: 'Point', coordinates: [lng, lat] },
  });
const createRoute = (route: object) =>
  sandbox.api('POST', `/sync/projects/${project()}/routes/batch`, { routes: [{ id: 'R-1', ...route }] });

/** A device with a trail, two jobs of a route, one job without a route, and one without a location. */
async function fill(): Promise<void> {
  await locate(0, 152.6, -27.2);
  await locate(1, 152.9, -27.6);
  await createRoute({
    jobs: [
      { id: 'A', ...address(153, -27) },
      { id: 'B', ...address(153.4, -27.3) },
    ],
  });
  await createJobs({ id: 'J-1', status: 'ARRIVING', ...address(152.4, -27.8) }, 'J-2');
}

const open = (query = '') => console.open(`map${query}`);
const mapOf = (page: Page) => page.getByRole('region', { name: 'Map:' });
/** What the map shows, by name. */
const drawn = async (page: Page) => {
  const all = await mapOf(page).getByRole('img', { name: /./ }).all();
  return (await Promise.all(all.map((one) => one.getAttribute('aria-label')))).toSorted();
};
const sign = (page: Page, name: string) => mapOf(page).getByRole('img', { name, exact: true });
const colorOf = (one: Locator): Promise<string> =>
  one.evaluate((element) => element.ownerDocument.defaultView.getComputedStyle(element).stroke);
const rows = (page: Page) => page.getByRole('region', { name: 'Items on the map' }).getByRole('listitem');
const texts = (page: Page) => textsOf(rows(page));
const row = (page: Page, name: string) => rows(page).getByRole('button', { name });
const chosen = (page: Page, name: string) => page.getByRole('button', { name, pressed: true }).waitFor();
const selected = (page: Page) => page.getByRole('region', { name: 'Selected item' });
/** How far something is from the center of the map, in pixels. */
async function distanceOf(page: Page, one: Locator): Promise<number> {
  const [map, box] = [await mapOf(page).boundingBox(), await one.boundingBox()];
  if (!map || !box) return Number.POSITIVE_INFINITY;
  return Math.hypot(map.x + map.width / 2 - box.x - box.width / 2, map.y + map.height / 2 - box.y - box.height / 2);
}

inBrowser('the map draws drivers, jobs and routes, lists them, and leads to their records', async () => {
  await fill();
  const page = await open('?view=999,999,99');
  await page.getByText('1 driver, 3 jobs, 1 route; 1 without a location').waitFor();
  await expect.poll(() => distanceOf(page, sign(page, 'A'))).toBeLessThan(700);
  expect(await navigation(page).getByRole('link', { name: 'Records' }).getAttribute('aria-current')).toBe('true');
  await expect
    .poll(() => texts(page))
    .toEqual([
      'driver van-1 -27.60000, 152.90000',
      'R-1 2 stops',
      expect.stringMatching(/^stop 1 A/),
      expect.stringMatching(/^stop 2 B/),
      expect.stringMatching(/^J-1 ARRIVING/),
    ]);
  await expect.poll(() => drawn(page)).toEqual(['A', 'B', 'J-1', 'R-1', 'Trail of van-1', 'van-1']);
  expect(await textsOf(sign(page, 'B'))).toEqual(['2']);
  await page.getByLabel('Search the list').fill('arriving');
  await expect.poll(() => texts(page)).toEqual([expect.stringContaining('J-1')]);
  await row(page, 'J-1').click();
  await selected(page).getByText('-27.80000, 152.40000').waitFor();
  await page.getByRole('link', { name: 'Record of job J-1' }).click();
  await page.getByRole('heading', { name: 'job J-1' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Show on map', exact: true }).click();
  await chosen(page, 'J-1');
});

inBrowser('a trail grows in the color of its driver, and says where and when', async () => {
  const page = await open('?view=0.0000,152.5000,9');
  await page.getByText('No locations yet').waitFor();
  await locate(0, 152, -0.1);
  await expect.poll(() => texts(page)).toEqual(['driver van-1 -0.10000, 152.00000']);
  await locate(5, 152.5, 0);
  await locate(10, 153, 0.1);
  await expect.poll(() => texts(page)).toEqual(['driver van-1 0.10000, 153.00000']);
  const trail = sign(page, 'Trail of van-1');
  const light = await colorOf(sign(page, 'van-1'));
  expect(await colorOf(trail)).toBe(light);
  await trail.hover({ force: true });
  await expect
    .poll(() => page.getByRole('tooltip').textContent())
    .toBe('van-1 · 2026-03-02 09:05:00 UTC · 0.00000, 152.50000');
  await trail.click({ force: true });
  await selected(page).getByText('2026-03-02 09:10:00 UTC').waitFor();
  await chooseDark(page);
  await expect.poll(() => colorOf(sign(page, 'van-1'))).not.toBe(light);
  expect(await colorOf(trail)).toBe(await colorOf(sign(page, 'van-1')));
});

inBrowser('an item selected by keyboard is centered, and the URL contains it and the moved view', async () => {
  await fill();
  const page = await open();
  const job = sign(page, 'J-1');
  await job.waitFor();
  expect(await distanceOf(page, job)).toBeGreaterThan(50);
  await row(page, 'van-1').focus();
  for (const key of ['ArrowDown', 'j', 'j', 'ArrowDown']) await page.keyboard.press(key);
  await page.keyboard.press('Enter');
  await chosen(page, 'J-1');
  await expect.poll(() => page.url()).toContain('chosen=job%3AJ-1');
  await page.reload();
  await chosen(page, 'J-1');
  await expect.poll(() => distanceOf(page, job)).toBeLessThan(3);
  // The sign of another item selects it, and a click beside all of them none.
  await page.getByRole('button', { name: 'Fit' }).click();
  await expect.poll(() => distanceOf(page, job)).toBeGreaterThan(50);
  await sign(page, 'B').click();
  await chosen(page, 'stop 2 B');
  await mapOf(page).click({ position: { x: 5, y: 5 } });
  await expect.poll(() => selected(page).count()).toBe(0);
  await mapOf(page).focus();
  await page.keyboard.press('+');
  await expect.poll(() => page.url()).toContain('view=');
  await page.getByRole('button', { name: 'Fit' }).click();
  await expect.poll(() => page.url()).not.toContain('view=');
  // A route of one stop has no line, and one without places has no area.
  await createRoute({ id: 'R-2', jobs: [{ id: 'C', ...address(152, -26.8) }] });
  await createRoute({ id: 'R-3', jobs: [{ id: 'D' }] });
  const single = await open('?chosen=route:R-2');
  await expect.poll(() => distanceOf(single, sign(single, 'C'))).toBeLessThan(3);
  const none = await open('?chosen=route:R-3');
  await expect.poll(() => distanceOf(none, sign(none, 'C'))).toBeGreaterThan(50);
});

inBrowser('with tiles, requests go only to the tile host', async () => {
  const asked: string[] = [];
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
  const answer = (url: string) => {
    asked.push(url);
    return { contentType: 'image/png', body: Buffer.from(pixel, 'base64') };
  };
  await locate(0, 152.6, -27.2, { api: tiled.api });
  const otherHost = { origin: 'https://a.tiles.example', answer };
  const page = await browser.open(tiled.url(), `/map?project=${project()}`, { otherHost });
  const shown = () => mapOf(page).getByRole('presentation').count();
  await expect.poll(shown).toBeGreaterThan(0);
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  for (const url of asked) expect(url).toMatch(/^https:\/\/a\.tiles\.example\/pictures\/\d+\/\d+\/\d+\.png\?of=world$/);
  await page.getByText('Tiles: a.tiles.example').waitFor();
});
