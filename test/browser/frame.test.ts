/** The frame: navigation and project menu, on small displays, before the first request, with one project and with several. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers, noBrowser, useBrowser } from '../harness/browser.ts';
import { type TestSandbox, useSandbox } from '../harness/sandbox.ts';
import {
  chooseProject,
  connection,
  copied,
  focused,
  heading,
  main,
  mainScreens,
  navigation,
  openProjects,
  projectButton,
  screenNames,
  screens,
  show,
  shownProject,
  textOf,
  textsOf,
} from './page.ts';

const none = useSandbox();
const named = useSandbox();
const one = useSandbox();
const several = useSandbox();
const browser = useBrowser();

const importOrder = (sandbox: TestSandbox, project: string, id: string) =>
  sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id }] });
const link = (page: Page, name: string) => navigation(page).getByRole('link', { name });
const project = (page: Page) => () => shownProject(page);

describe.skipIf(noBrowser)('on a display of 360 pixels', () => {
  test('every screen has a low bar at the top, and links at the bottom', async () => {
    const page = await browser.open(none.url(), '/live?project=demo', { width: 360, height: 740 });
    await expect.poll(project(page)).toBe('demo');
    const links = page.getByRole('navigation', { name: 'Main screens' });
    for (const name of screenNames) {
      await show(page, `/${name}?project=demo`);
      await heading(page, screens[name]).waitFor();
      await expect.poll(async () => (await page.getByRole('banner').boundingBox())?.height).toBe(48);
      for (const button of await page.getByRole('banner').getByRole('button').all()) await isInside(button);
      const all = [...(await links.getByRole('link').all()), links.getByRole('button', { name: 'More screens' })];
      expect(all).toHaveLength(5);
      for (const one of all) {
        const { y, height } = await isInside(one);
        expect(y + height).toBe(740);
      }
    }
  });

  test('all screens are one click away', async () => {
    const page = await browser.open(none.url(), '/live', { width: 360, height: 740 });
    await page.getByRole('button', { name: 'More screens' }).click();
    const menu = page.getByRole('dialog', { name: 'More screens' });
    await menu.waitFor();
    await expect.poll(() => menu.getByRole('link').count()).toBe(mainScreens.length);
    for (const one of await menu.getByRole('link').all()) await isInside(one);
    await menu.getByRole('link', { name: 'Reference' }).click();
    await heading(page, 'API reference').waitFor();
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
    await expect.poll(() => textsOf(navigation(page).getByRole('heading'))).toEqual(['Observe', 'Simulate', 'Set up']);
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
    const counted = (name: string) => () => textOf(link(page, name));
    const onPage = (text: string) => main(page).getByRole('status').getByText(text, { exact: true });
    await onPage('5 requests').waitFor();
    await expect.poll(counted('Requests')).toBe('Requests5 requests');
    await importOrder(several, 'agreed-1', 'O-4');
    await onPage('6 requests').waitFor();
    await expect.poll(counted('Requests')).toBe('Requests6 requests');
    await page.getByLabel('Search requests').fill('O-4');
    await onPage('1 of 6 requests').waitFor();
    await link(page, 'Callbacks').click();
    await onPage('2 callbacks').waitFor();
    await expect.poll(counted('Callbacks')).toBe('Callbacks2 callbacks');
  });

  test('counts again only after requests of the selected project', async () => {
    for (const id of ['O-1', 'O-2']) await importOrder(several, 'counted-3', id);
    const page = await browser.open(several.url(), '/connect?project=counted-3');
    const counts = () => textOf(link(page, 'Requests'));
    await expect.poll(counts).toBe('Requests2 requests');
    await connection(page, 'live').waitFor();
    let counted = 0;
    page.on('request', (request) => {
      if (request.url().includes('counts=true')) counted += 1;
    });
    const listed = page.waitForResponse(/_sandbox\/projects\?/);
    await importOrder(several, 'counted-4', 'O-1');
    await listed;
    await importOrder(several, 'counted-3', 'O-3');
    await expect.poll(counts).toBe('Requests3 requests');
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

    await page.getByRole('link', { name: 'Endpoint' }).click();
    await page.getByLabel('URL').fill('http://127.0.0.1:9/hooks');
    await page.keyboard.press('Enter');
    await page.getByText('Callbacks of coming are sent to').waitFor();
    await expect.poll(() => unknown.count()).toBe(0);
  });

  test('is reported as not existing on every screen', async () => {
    const page = await browser.open(several.url(), '/live?project=nosuch');
    for (const name of screenNames) {
      await show(page, `/${name}?project=nosuch`);
      await heading(page, screens[name]).waitFor();
      await page.getByText('Project nosuch does not exist yet. It is created on the first write.').waitFor();
    }
  });

  test('is shown without a selection if it is the only one', async () => {
    await importOrder(one, 'demo', 'O-1');
    const page = await browser.open(one.url(), '/records');
    await expect.poll(project(page)).toBe('demo');
    await link(page, 'Project').click();
    await page.getByRole('region', { name: 'Clock of demo' }).getByText('only project').waitFor();
    await link(page, 'Requests').click();
    await expect.poll(project(page)).toBe('All projects');
    await page.getByTitle('Time (project’s clock): sort by it').waitFor();
  });

  test('is in the copied link also if it is the only one', async () => {
    await importOrder(one, 'demo', 'O-1');
    const page = await browser.open(one.url(), '/entity?id=O-1');
    await page.getByRole('button', { name: 'Copy link to this view' }).click();
    await page.getByText('Link copied.').waitFor();
    expect(await copied(page)).toContain('project=demo');
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
    const options = (await openProjects(page)).getByRole('option');
    await options.first().waitFor();
    for (const one of await options.all()) expect(await one.getAttribute('aria-current')).toBe(null);
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('Project: Select a project');
  });

  test('is found in the menu by keyboard, with its number of requests and the recent ones first', async () => {
    for (const id of ['menu-a', 'menu-b', 'menu-b']) await importOrder(several, id, 'O-1');
    const page = await browser.open(several.url(), '/live?project=menu-b');
    await projectButton(page).focus();
    await page.keyboard.press('Enter');
    const menu = page.getByRole('dialog', { name: /^Project: / });
    await expect.poll(() => focused(page)).toBe('Find a project');
    const recent = menu.getByRole('group', { name: 'Recent' }).getByRole('option');
    await expect.poll(() => textsOf(recent)).toEqual(['menu-b 2']);
    await expect.poll(() => recent.getAttribute('aria-current')).toBe('true');
    await menu.getByRole('group', { name: 'Other projects' }).waitFor();
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
