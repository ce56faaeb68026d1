/** The frame: navigation and project menu, on small displays, before the first request, with one project and with several. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findBarriers, useBrowser } from '../harness/browser.ts';
import { type TestSandbox, useSandbox } from '../harness/sandbox.ts';
import {
  chooseProject,
  connection,
  copied,
  focused,
  heading,
  inBrowser,
  main,
  navigation,
  openProjects,
  projectButton,
  show,
  shownProject,
  textOf,
  textsOf,
} from './page.ts';

const none = useSandbox();
const one = useSandbox();
const several = useSandbox();
const browser = useBrowser();

const importOrder = (sandbox: TestSandbox, project: string, id: string) =>
  sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id }] });
const link = (page: Page, name: string) => navigation(page).getByRole('link', { name });
const project = (page: Page) => () => shownProject(page);

test('what every page loads is below 60 kB, compressed', () => {
  const page = readFileSync('dist/console/index.html', 'utf8');
  const files = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(1);
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(`dist/console/${file}`)).length, 0);
  expect(bytes).toBeLessThan(60_000);
});

inBrowser('the page uses its own fonts, and is shown before any data, font or event has arrived', async () => {
  const page = await browser.open(none.url(), '/connect');
  const fonts = '(async () => [...(await document.fonts.ready)].map(({ family, status }) => [family, status]))()';
  await expect
    .poll(() => page.evaluate(fonts))
    .toEqual([
      ['Inter Variable', 'loaded'],
      ['JetBrains Mono Variable', 'loaded'],
    ]);
  await page.route(/woff2|\/_sandbox\/(?!assets|#|$)/, () => undefined);
  await page.reload({ waitUntil: 'commit' });
  await link(page, 'Requests').waitFor();
  await heading(page, 'Connect').waitFor();
  await connection(page, 'connecting').waitFor();
});

inBrowser('the navigation has groups, and shows icons only on a small display', async () => {
  const page = await browser.open(none.url(), '/live', { width: 1440 });
  await expect.poll(() => textsOf(navigation(page).getByRole('heading'))).toEqual(['Observe', 'Simulate', 'Set up']);
  const width = async () => (await navigation(page).boundingBox())?.width;
  await expect.poll(width).toBeGreaterThan(180);
  await page.setViewportSize({ width: 1024, height: 800 });
  await expect.poll(width).toBeLessThan(60);
  const title = navigation(page).getByRole('heading', { name: 'Simulate' });
  expect((await title.boundingBox())?.height).toBe(1);
  await expect.poll(() => link(page, 'Scenarios').getAttribute('title')).toBe('Scenarios');
});

inBrowser('the counts of the navigation agree with the page, also about stray requests', async () => {
  for (const id of ['agreed-1', 'agreed-2']) await several.freeze(id);
  for (const id of ['O-1', 'O-2']) await importOrder(several, 'agreed-1', id);
  await several.api('POST', '/sync/projects/agreed-1/orders', { orders: [{ id: 'O-3' }] }, { apikey: 'wrong' });
  for (const [id, failures] of Object.entries({ 'agreed-1': 2, 'agreed-2': 5 })) {
    for (let n = 0; n < failures; n += 1)
      await several.api('POST', `/async/projects/${id}/jobs`, { jobs: [{ id: `FAIL-${n}` }] });
    await several.advance(id);
  }
  const page = await browser.open(several.url(), '/live?project=agreed-1');
  const counted = (name: string) => () => textOf(link(page, name));
  const onPage = (text: string) => main(page).getByRole('status').getByText(text, { exact: true }).waitFor();
  await onPage('5 requests');
  await main(page).getByText('401', { exact: true }).waitFor();
  await expect.poll(counted('Requests')).toBe('Requests5 requests');
  await (await openProjects(page)).getByRole('option', { name: 'agreed-1 5' }).waitFor();
  let loads = 0;
  page.on('request', (request) => {
    if (request.url().includes('limit=1&counts=true')) loads += 1;
  });
  const listed = page.waitForResponse(/_sandbox\/projects\?/);
  await importOrder(several, 'agreed-2', 'O-9');
  await listed;
  expect(loads).toBe(0);
  await importOrder(several, 'agreed-1', 'O-4');
  await onPage('6 requests');
  await expect.poll(counted('Requests')).toBe('Requests6 requests');
  await link(page, 'Callbacks').click();
  await onPage('2 callbacks');
  await expect.poll(counted('Callbacks')).toBe('Callbacks2 callbacks');
});

inBrowser('a project can be named before its first request', async () => {
  const page = await browser.open(none.url(), '/callbacks');
  await page.getByRole('heading', { name: 'No projects yet' }).waitFor();
  await page.getByLabel('Name').fill('coming');
  await page.keyboard.press('Enter');
  const unknown = page.getByText('Project coming does not exist yet. It is created on the first write.');
  await unknown.waitFor();
  expect(page.url()).toContain('project=coming');
  await page.getByRole('link', { name: 'Endpoint' }).click();
  await page.getByLabel('URL').fill('http://127.0.0.1:9/hooks');
  await page.keyboard.press('Enter');
  await page.getByText('Callbacks of coming are sent to').waitFor();
  await expect.poll(() => unknown.count()).toBe(0);
});

inBrowser('the only project is shown without a selection, and is in the copied link', async () => {
  await importOrder(one, 'demo', 'O-1');
  const page = await browser.open(one.url(), '/entity?id=O-1');
  await expect.poll(project(page)).toBe('demo');
  await page.getByRole('button', { name: 'Copy link to this view' }).click();
  await page.getByText('Link copied.').waitFor();
  expect(await copied(page)).toContain('project=demo');
  await link(page, 'Project').click();
  await page.getByRole('region', { name: 'Clock of demo' }).getByText('only project').waitFor();
  await link(page, 'Requests').click();
  await expect.poll(project(page)).toBe('All projects');
  await page.getByTitle('Time (project’s clock): sort by it').waitFor();
});

inBrowser('one of several projects is selected, and changed without what was open or filtered', async () => {
  for (const id of ['north', 'south', 'south']) await importOrder(several, id, 'O-1');
  const page = await browser.open(several.url(), '/records?collection=orders');
  await expect.poll(project(page)).toBe('Select a project');
  await page.getByRole('link', { name: 'south' }).click();
  await expect.poll(project(page)).toBe('south');
  await chooseProject(page, 'All projects');
  await page.getByRole('heading', { name: 'Select a project to see its records' }).waitFor();
  await show(page, '/live?project=north&sort=-status&entity=O-1&compare=req_1&at=1');
  await chooseProject(page, 'south');
  await expect.poll(() => page.url()).toMatch(/#\/live\?project=south&sort=-status$/);
  await show(page, '/quality?project=north&tab=coverage&op=syncImportOrders&q=sync');

  // By keyboard, with the number of requests and the recent ones first.
  await projectButton(page).focus();
  await page.keyboard.press('Enter');
  const menu = page.getByRole('dialog', { name: /^Project: / });
  await expect.poll(() => focused(page)).toBe('Find a project');
  const recent = menu.getByRole('group', { name: 'Recent' }).getByRole('option');
  await expect.poll(() => textsOf(recent)).toEqual(['north 1', 'south 2']);
  await expect.poll(() => recent.first().getAttribute('aria-current')).toBe('true');
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.type('sou');
  await menu.getByText('Not created yet').waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toMatch(/#\/quality\?project=south&tab=coverage$/);
  await expect.poll(() => menu.isVisible()).toBe(false);
  await openProjects(page);
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('Project: south');
});
