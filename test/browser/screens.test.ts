/** Every screen and what its links open, in both themes and two widths: axe finds no violation, and nothing overflows. */
import type { Locator } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { findBarriers, overflowOf, useBrowser } from '../harness/browser.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { hasFocus, inBrowser, main, mainScreens, navigation, screenNames, show } from './page.ts';

const empty = useSandbox();
const full = useSandbox({ demo: 'true', clock: 'frozen' });
const browser = useBrowser();
const demo = 'demo';
const ids: Record<string, unknown> = {};

beforeAll(async () => {
  await full.api('POST', '/async/project/demo/jobs', { jobs: [] });
  const rules = [{ when: { operation: 'syncCreateJob' }, then: { respond: { status: 500 } } }];
  await full.control('PUT', '/projects/demo/scenarios', { scenarios: [{ name: 'down', rules }] });
  await full.api('POST', '/sync/projects/demo/jobs', { id: 'J-1' });
  await full.api('POST', '/sync/projects/demo/orders', { orders: [{ id: 'O-1' }] });
  await full.api('POST', '/async/projects/demo/jobs', { jobs: [{ id: 'PENDING-1' }] });
  const requests = await full.items(demo, 'requests');
  const imports = requests.filter(({ operation }) => operation === 'asyncImportJobs');
  [ids['OTHER'], ids['REQUEST']] = imports.slice(-3).map(({ id }) => id);
  for (const [name, list] of Object.entries({ CALLBACK: 'callbacks', ENTITY: 'jobs' }))
    ids[name] = (await full.items(demo, list))[0]?.['id'];
});

/** What links open beside and below the screens. A word in capital letters is an id. */
const opened = [
  'live?request=REQUEST',
  'live?request=REQUEST&detail=request',
  'live?request=REQUEST&detail=response',
  'callbacks?callback=CALLBACK',
  'callbacks?callback=..',
  'live?cursor=nonsense',
  'callbacks?view=endpoint',
  'records?collection=jobs&record=ENTITY',
  'records?q=fail-geocode-1',
  'entity?id=ENTITY',
  'entity?id=FAIL-GEOCODE-1',
  'live?request=REQUEST&compare=OTHER',
  'quality?tab=problems',
  'quality?tab=coverage&op=asyncImportJobs',
  'scenarios?q=status-503',
  'scenarios?edit=new',
  'reference?operation=asyncImportJobs',
];

const route = (name: string, isFull: boolean): string => {
  const path = name.replaceAll(/[A-Z]{5,}/g, (id) => String(ids[id] ?? id));
  return `/${path}${isFull ? `${path.includes('?') ? '&' : '?'}project=${demo}` : ''}`;
};

/** Checks that an element is inside of a display of 360 pixels, and large enough for a finger. */
async function isInside(element: Locator, smallest: number): Promise<void> {
  const { x, width, height } = (await element.boundingBox()) ?? { x: -1, width: 0, height: 0 };
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(360);
  expect(Math.min(width, height)).toBeGreaterThanOrEqual(smallest);
}

inBrowser.each([
  ['empty screens', screenNames, empty, ['light', 'dark']],
  ['screens with data', screenNames, full, ['light', 'dark']],
  ['what is open', opened, full, ['dark', 'light']],
] as const)('wide, then narrow, in both themes: %s', { timeout: 120_000 }, async (_what, names, sandbox, themes) => {
  const page = await browser.open(sandbox.url(), '/connect');
  for (const [index, colorScheme] of themes.entries()) {
    const width = index === 0 ? 1280 : 360;
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    for (const name of names) {
      await show(page, route(name, sandbox === full));
      await browser.settle(page);
      expect(await findBarriers(page), `${name} ${width} ${colorScheme}`).toEqual([]);
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth'), { message: name }).toBe(width);
      await expect.poll(() => overflowOf(main(page)), { message: name }).toBe(0);
    }
  }
});

inBrowser(
  'on 360 pixels, a row is visible as a whole, and what it opens covers the list until it is closed',
  async () => {
    const page = await browser.open(full.url(), '/connect', { width: 360, height: 740 });
    for (const [name, texts] of [
      ['live', ['202', 'asyncImportJobs']],
      ['live?status=4xx', ['404', 'server’s time', 'rejected']],
      ['callbacks', ['jobs.import.failed', 'FAIL-GEOCODE-1', 'inbox']],
      ['records?collection=orders', ['O-1']],
    ] as const) {
      await show(page, route(name, true));
      const row = texts.reduce((rows, text) => rows.filter({ hasText: text }), page.getByRole('row')).first();
      for (const text of texts) await isInside(row.getByText(text).first(), 0);
      await row.getByRole('link').first().click();
      await expect.poll(() => hasFocus(page.getByRole('heading', { level: 2 }).first())).toBe(true);
      await expect.poll(() => row.isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Close', exact: true }).click();
      await expect.poll(() => row.isVisible()).toBe(true);
    }
    await show(page, route('live?status=4xx', true));
    await page.getByRole('row').getByText('no operation has the path').first().waitFor();
    // Each button of the bar and its menu, and each link at the bottom.
    await page.getByRole('button', { name: 'Page', exact: true }).click();
    await page.getByRole('button', { name: 'Keyboard help' }).waitFor();
    for (const button of await page.getByRole('banner').getByRole('button').all()) await isInside(button, 24);
    const links = navigation(page).getByRole('link');
    expect(await links.count()).toBe(mainScreens.length);
    for (const link of await links.all()) await isInside(link, 24);
    await links.filter({ hasText: 'Quality' }).click();
    await page.getByRole('heading', { name: 'Quality' }).waitFor();
  },
);
