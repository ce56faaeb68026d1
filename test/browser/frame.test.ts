/** The frame: navigation and project menu, on small displays, before the first request, with one project and with several. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers, noBrowser, useBrowser } from '../harness/browser.ts';
import { type TestSandbox, useSandbox } from '../harness/sandbox.ts';
import { chooseProject, openProjects, projectButton, shownProject } from './bar.ts';
import { screenNames } from './screen-names.ts';

const none = useSandbox();
const named = useSandbox();
const one = useSandbox();
const several = useSandbox();
const browser = useBrowser();

const importOrder = (sandbox: TestSandbox, project: string, id: string) =>
  sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id }] });
const navigation = (page: Page) => page.getByRole('navigation', { name: 'Screens' });
const link = (page: Page, name: string) => navigation(page).getByRole('link', { name });
const project = (page: Page) => () => shownProject(page);

describe.skipIf(noBrowser)('on a display of 360 pixels', () => {
  test.each(screenNames)('%s shows a low bar at the top, and links at the bottom', async (name) => {
    const page = await browser.open(none.url(), `/${name}?project=demo`, { width: 360, height: 740 });
    await expect.poll(project(page)).toBe('demo');
    await expect.poll(async () => (await page.getByRole('banner').boundingBox())?.height).toBe(48);
    for (const button of await page.getByRole('banner').getByRole('button').all()) await isInside(button);
    const main = page.getByRole('navigation', { name: 'Main screens' });
    const links = [...(await main.getByRole('link').all()), main.getByRole('button', { name: 'More screens' })];
    expect(links).toHaveLength(5);
    for (const one of links) {
      const { y, height } = await isInside(one);
      expect(y + height).toBe(740);
    }
    expect(await page.getByRole('link', { name: 'field-sandbox' }).count()).toBe(1);
  });

  test('all screens are one click away', async () => {
    const page = await browser.open(none.url(), '/live', { width: 360, height: 740 });
    await page.getByRole('button', { name: 'More screens' }).click();
    const menu = page.getByRole('dialog', { name: 'More screens' });
    await menu.waitFor();
    await expect.poll(() => menu.getByRole('link').count()).toBe(await page.locator('nav.screens a').count());
    for (const one of await menu.getByRole('link').all()) await isInside(one);
    await menu.getByRole('link', { name: 'Connect' }).click();
    await page.getByRole('heading', { level: 1, name: 'Connect' }).waitFor();
    await expect.poll(() => menu.isVisible()).toBe(false);
  });
});

/** Checks that an element is inside of the display, and large enough for a finger. */
async function isInside(element: Locator): Promise<{ readonly y: number; readonly height: number }> {
  const { x, width, y, height } = (await element.boundingBox()) ?? { x: -1, width: 0, y: 0, height: 0 };
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(360);
  expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
  return { y, height };
}

describe.skipIf(noBrowser)('the navigation', () => {
  test('has groups, and shows icons only on a small display, until it is expanded', async () => {
    const page = await browser.open(none.url(), '/live', { width: 1440 });
    expect(await navigation(page).getByRole('heading').allTextContents()).toEqual(['Observe', 'Simulate', 'Set up']);
    const width = async () => (await navigation(page).boundingBox())?.width;
    await expect.poll(width).toBeGreaterThan(180);
    await page.setViewportSize({ width: 1024, height: 800 });
    await expect.poll(width).toBeLessThan(60);
    await expect.poll(() => link(page, 'Scenarios').getAttribute('title')).toBe('Scenarios');
    await page.getByRole('button', { name: 'Expand navigation' }).click();
    await expect.poll(width).toBeGreaterThan(180);
    await page.reload();
    await page.getByRole('button', { name: 'Collapse navigation' }).click();
    await expect.poll(width).toBeLessThan(60);
  });

  test('counts what its screens show, of the selected project', async () => {
    for (const [id, orders] of Object.entries({ 'counted-1': 3, 'counted-2': 2 })) {
      for (let n = 0; n < orders; n += 1) await importOrder(several, id, `O-${n}`);
    }
    const page = await browser.open(several.url(), '/live?project=counted-1');
    const count = (name: string) => () => link(page, name).locator('.count').textContent();
    await expect.poll(count('Requests')).toBe('3 requests');
    await chooseProject(page, 'counted-2');
    await expect.poll(count('Requests')).toBe('2 requests');
    await importOrder(several, 'counted-2', 'O-9');
    await expect.poll(count('Requests')).toBe('3 requests');
    expect(await link(page, 'Callbacks').locator('.count').count()).toBe(0);
  });

  test('agrees with the page, also about requests that did not reach the project', async () => {
    for (const id of ['agreed-1', 'agreed-2']) await several.freeze(id);
    for (const id of ['O-1', 'O-2']) await importOrder(several, 'agreed-1', id);
    const orders = { orders: [{ id: 'O-3' }] };
    await several.api('POST', '/sync/projects/agreed-1/orders', orders, { apikey: 'wrong' });
    for (const [id, failures] of Object.entries({ 'agreed-1': 2, 'agreed-2': 5 })) {
      for (let n = 0; n < failures; n += 1) {
        await several.api('POST', `/async/projects/${id}/jobs`, { jobs: [{ id: `FAIL-${n}` }] });
      }
      await several.advance(id);
    }
    const page = await browser.open(several.url(), '/live?project=agreed-1');
    const count = (name: string) => () => link(page, name).locator('.count').textContent();
    const onPage = (text: string) => page.locator('main').getByRole('status').getByText(text, { exact: true });
    await onPage('5 requests').waitFor();
    await expect.poll(count('Requests')).toBe('5 requests');
    await importOrder(several, 'agreed-1', 'O-4');
    await onPage('6 requests').waitFor();
    await expect.poll(count('Requests')).toBe('6 requests');
    await page.getByLabel('Search requests').fill('O-4');
    await onPage('1 of 6 requests').waitFor();
    await link(page, 'Callbacks').click();
    await onPage('2 callbacks').waitFor();
    await expect.poll(count('Callbacks')).toBe('2 callbacks');
  });

  test('counts again only after requests of the selected project', async () => {
    for (const id of ['O-1', 'O-2']) await importOrder(several, 'counted-3', id);
    const page = await browser.open(several.url(), '/connect?project=counted-3');
    const count = () => link(page, 'Requests').locator('.count').textContent();
    await expect.poll(count).toBe('2 requests');
    await page.getByRole('banner').getByText('live', { exact: true }).waitFor();
    let counted = 0;
    page.on('request', (request) => {
      if (request.url().includes('counts=true')) counted += 1;
    });
    const listed = page.waitForResponse(/_sandbox\/projects\?/);
    await importOrder(several, 'counted-4', 'O-1');
    await listed;
    await importOrder(several, 'counted-3', 'O-3');
    await expect.poll(count).toBe('3 requests');
    expect(counted).toBe(1);
  });
});

describe.skipIf(noBrowser)('the project', () => {
  test('can be named before its first request, and is shown as not existing yet', async () => {
    const page = await browser.open(named.url(), '/callbacks');
    await page.getByRole('heading', { name: 'No projects yet' }).waitFor();
    await page.getByText('set up a project before its first request').waitFor();
    await page.getByLabel('Name').fill('coming');
    await page.keyboard.press('Enter');
    const unknown = page.getByText('Project coming does not exist yet. It is created on the first write.');
    await unknown.waitFor();
    expect(page.url()).toContain('project=coming');
    await expect.poll(project(page)).toBe('coming');

    await page.getByRole('tab', { name: 'Endpoint' }).click();
    await page.getByLabel('URL').fill('http://127.0.0.1:9/hooks');
    await page.keyboard.press('Enter');
    await page.getByText('Callbacks of coming are sent to').waitFor();
    await expect.poll(() => unknown.count()).toBe(0);
  });

  test.each(screenNames)('is reported as not existing on %s', async (name) => {
    const page = await browser.open(several.url(), `/${name}?project=nosuch`);
    await page.getByText('Project nosuch does not exist yet. It is created on the first write.').waitFor();
  });

  test('is shown without a selection if it is the only one', async () => {
    await importOrder(one, 'demo', 'O-1');
    const page = await browser.open(one.url(), '/records');
    await expect.poll(project(page)).toBe('demo');
    await link(page, 'Clock').click();
    await page.getByRole('region', { name: 'Clock of demo' }).getByText('only project').waitFor();
    await link(page, 'Connect').click();
    await page.getByText('Only project. Any project id works').waitFor();
    await link(page, 'Requests').click();
    await expect.poll(project(page)).toBe('All projects');
    await page.getByTitle('Time (project’s clock): sort by it').waitFor();
  });

  test.each(['/entity?id=O-1', '/compare'])('is in the copied link also if it is the only one: %s', async (path) => {
    await importOrder(one, 'demo', 'O-1');
    const page = await browser.open(one.url(), path);
    await page.getByRole('button', { name: 'Copy link', exact: true }).click();
    await page.getByText('Link copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('project=demo');
  });

  test('is changed without what was open or filtered; the tab and the order stay', async () => {
    for (const id of ['north', 'south']) await importOrder(several, id, 'O-1');
    const page = await browser.open(several.url(), '/live?project=north&sort=-status&entity=O-1&compare=req_1&at=1');
    await chooseProject(page, 'south');
    await expect.poll(() => page.url()).toMatch(/#\/live\?project=south&sort=-status$/);
    const quality = await browser.open(several.url(), '/quality?project=north&tab=coverage&op=syncImportOrders&q=sync');
    await chooseProject(quality, 'south');
    await expect.poll(() => quality.url()).toMatch(/#\/quality\?project=south&tab=coverage$/);
  });

  test('must be selected if there are several; a link selects it, and the menu shows all again', async () => {
    for (const id of ['north', 'south']) await importOrder(several, id, 'O-1');
    const page = await browser.open(several.url(), '/records?collection=orders');
    await expect.poll(project(page)).toBe('Select a project');
    await page.getByLabel('Name').waitFor();
    await page.getByRole('link', { name: 'south' }).click();
    await expect.poll(project(page)).toBe('south');
    await chooseProject(page, 'All projects');
    await page.getByRole('heading', { name: 'Select a project to see its records' }).waitFor();
    await (await openProjects(page)).getByRole('option').first().waitFor();
    expect(await page.locator('[role=option][aria-current]').count()).toBe(0);
    await page.keyboard.press('Escape');
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('Project: Select a project');
  });

  test('comes after those with more requests, if none is recent', async () => {
    for (const id of ['busy-a', 'busy-b', 'busy-b']) await importOrder(several, id, 'O-1');
    const page = await browser.open(several.url(), '/live');
    const menu = await openProjects(page);
    await menu.getByRole('combobox').fill('busy-');
    const titles = menu.getByRole('option').locator('.title');
    await expect.poll(() => titles.allTextContents()).toEqual(['busy-b', 'busy-a', 'busy-']);
  });

  test('is found in the menu by keyboard, with its number of requests and the recent ones first', async () => {
    for (const id of ['menu-a', 'menu-b', 'menu-b']) await importOrder(several, id, 'O-1');
    const page = await browser.open(several.url(), '/live?project=menu-b');
    await projectButton(page).focus();
    await page.keyboard.press('Enter');
    const menu = page.getByRole('dialog', { name: /^Project: / });
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Find a project');
    const recent = menu.getByRole('group', { name: 'Recent' }).getByRole('option');
    await expect
      .poll(async () => (await recent.allTextContents()).map((text) => text.replace(/\s+/g, ' ').trim()))
      .toEqual(['menu-b 2']);
    const groups = menu.getByRole('group').locator('.group');
    await expect.poll(() => groups.allTextContents()).toEqual(['Projects', 'Recent', 'Other projects']);
    await expect.poll(() => menu.locator('[role=option][aria-current]').textContent()).toContain('menu-b');
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.type('menu');
    await expect.poll(() => menu.getByRole('option').count()).toBe(3);
    await menu.getByText('Not created yet').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(project(page)).toBe('menu-a');
    await expect.poll(() => menu.isVisible()).toBe(false);
  });
});

describe.skipIf(noBrowser)('an empty screen', () => {
  test.each(['live', 'clock'])('centers its content below the heading: %s', async (name) => {
    const page = await browser.open(none.url(), `/${name}`);
    const heading = page.locator('.empty h2');
    await heading.waitFor();
    const centre = async (at: string): Promise<readonly number[]> =>
      (await page.evaluate(`[...document.querySelectorAll(${JSON.stringify(at)})].map((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        const { left, width } = range.getBoundingClientRect();
        return left + width / 2;
      })`)) as readonly number[];
    const [wanted = 0] = await centre('.empty h2');
    const others = await centre('.empty p, .empty .column > div, .empty form');
    expect(others.length).toBeGreaterThan(0);
    for (const other of others) expect(Math.abs(other - wanted)).toBeLessThan(4);
  });
});
