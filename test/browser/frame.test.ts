/** A new user sees the current screen and project: on a small display, before the first request, with one project and with several. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { type TestSandbox, useSandbox } from '../harness/sandbox.ts';
import { screenNames } from './screen-names.ts';

const none = useSandbox();
const named = useSandbox();
const one = useSandbox();
const several = useSandbox();
const browser = useBrowser();

const importOrder = (sandbox: TestSandbox, project: string, id: string) =>
  sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id }] });
const field = (page: Page) => page.getByLabel('Project', { exact: true });
const placeholder = (page: Page) => () => field(page).getAttribute('placeholder');

describe.skipIf(noBrowser)('on a display of 360 pixels', () => {
  test.each(screenNames)('%s shows links to all screens below a low header', async (name) => {
    const page = await browser.open(none.url(), `/${name}?project=demo`, { width: 360, height: 740 });
    const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
    expect(await links.count()).toBe(screenNames.length);
    for (const link of await links.all()) {
      const { x, width, y, height } = (await link.boundingBox()) ?? { x: -1, width: 0, y: 0, height: 0 };
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(360);
      expect(y + height).toBeLessThan(140);
      expect(height).toBeGreaterThanOrEqual(24);
    }
    expect((await page.getByRole('banner').boundingBox())?.height).toBeLessThan(60);
    // Hidden labels still name their elements.
    await expect.poll(() => field(page).inputValue()).toBe('demo');
    expect(await page.getByLabel('Theme').count()).toBe(1);
    expect(await page.getByRole('link', { name: 'field-sandbox' }).count()).toBe(1);
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
    expect(await field(page).inputValue()).toBe('coming');

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

  test('is labeled as the only project if it is shown without a selection', async () => {
    await importOrder(one, 'demo', 'O-1');
    const page = await browser.open(one.url(), '/records');
    await expect.poll(placeholder(page)).toBe('demo (only project)');
    const screens = page.getByRole('navigation', { name: 'Screens' });
    await screens.getByRole('link', { name: 'Clock' }).click();
    await page.getByRole('region', { name: 'Clock of demo' }).getByText('only project').waitFor();
    await screens.getByRole('link', { name: 'Connect' }).click();
    await page.getByText('Only project. Any project id works').waitFor();
    await screens.getByRole('link', { name: 'Requests' }).click();
    await expect.poll(placeholder(page)).toBe('all projects');
  });

  test('must be selected if there are several; a link selects it, and a button shows all again', async () => {
    for (const project of ['north', 'south']) await importOrder(several, project, 'O-1');
    const page = await browser.open(several.url(), '/records?collection=orders');
    await expect.poll(placeholder(page)).toBe('select a project');
    await page.getByLabel('Name').waitFor();
    const all = page.getByRole('button', { name: 'Show all projects' });
    expect(await all.count()).toBe(0);
    await page.getByRole('link', { name: 'south' }).click();
    await expect.poll(() => field(page).inputValue()).toBe('south');
    const tint = () => page.evaluate('getComputedStyle(document.querySelector(".project input")).backgroundColor');
    const chosen = await tint();
    await all.click();
    await page.getByRole('heading', { name: 'Select a project to see its records' }).waitFor();
    expect(await tint()).not.toBe(chosen);
    expect(await page.evaluate('document.activeElement.placeholder')).toBe('select a project');
    expect(await all.count()).toBe(0);
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
