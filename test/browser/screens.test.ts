/** Every screen and what its links open, in both themes and two widths: axe finds no violation, and nothing overflows. */
import { beforeAll, describe, expect, test } from 'vitest';
import { findBarriers, noBrowser, overflowOf, useBrowser } from '../harness/browser.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { demo, fillDemo } from './demo.ts';
import { hasFocus, main, screenNames } from './page.ts';

const empty = useSandbox();
const full = useSandbox();
const browser = useBrowser();
const ids: Record<string, string | undefined> = {};

beforeAll(async () => {
  await fillDemo(full);
  const requests = await full.items(demo, 'requests');
  [ids['request'], ids['other']] = requests
    .filter(({ operation }) => operation === 'asyncImportJobs')
    .map(({ id }) => String(id));
  ids['callback'] = String((await full.items(demo, 'callbacks'))[0]?.['id']);
});

/** What links open beside and below the screens. A word in capital letters is an id. */
const opened = [
  'live?request=REQUEST',
  'live?request=REQUEST&detail=request',
  'live?request=REQUEST&detail=response',
  'callbacks?callback=CALLBACK',
  'callbacks?view=endpoint',
  'records?collection=jobs&record=J-1',
  'records?q=fail-geocode-5',
  'entity?id=J-1',
  'entity?id=FAIL-GEOCODE-5',
  'live?request=REQUEST&compare=OTHER',
  'quality?tab=problems',
  'quality?tab=coverage&op=asyncImportJobs',
  'scenarios?group=failures',
  'scenarios?edit=new',
  'reference?operation=asyncImportJobs',
];

describe.skipIf(noBrowser)('wide and light, then narrow and dark', () => {
  test.each([
    ...screenNames.map((name) => [name, 'empty', empty] as const),
    ...[...screenNames, ...opened].map((name) => [name, 'full', full] as const),
  ])('%s, %s', { timeout: 90_000 }, async (name, kind, sandbox) => {
    const route = name.replaceAll(/[A-Z]{5,}/g, (id) => ids[id.toLowerCase()] ?? '');
    const project = kind === 'full' ? `${route.includes('?') ? '&' : '?'}project=${demo}` : '';
    const page = await browser.open(sandbox.url(), `/${route}${project}`);
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await browser.settle(page);
      expect(await findBarriers(page), `${width} ${colorScheme}`).toEqual([]);
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await expect.poll(() => overflowOf(main(page))).toBe(0);
    }
  });
});

describe.skipIf(noBrowser)('a list on a display of 360 pixels', () => {
  test.each([
    ['live', ['202', 'asyncImportJobs']],
    ['callbacks', ['jobs.import.failed', 'FAIL-GEOCODE-5', 'inbox']],
    ['records?collection=orders', ['O-1']],
  ])('%s: a row is visible as a whole, and what it opens covers the list until Back', async (name, texts) => {
    const route = `/${name}${name.includes('?') ? '&' : '?'}project=${demo}`;
    const page = await browser.open(full.url(), route, { width: 360, height: 740 });
    const row = texts.reduce((rows, text) => rows.filter({ hasText: text }), page.getByRole('row')).first();
    for (const text of texts) {
      const box = await row.getByText(text).first().boundingBox();
      expect((box?.x ?? 360) + (box?.width ?? 0), text).toBeLessThanOrEqual(360);
    }
    await row.getByRole('link').first().click();
    await expect.poll(() => hasFocus(page.getByRole('heading', { level: 2 }).first())).toBe(true);
    await expect.poll(() => row.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Back' }).click();
    await expect.poll(() => row.isVisible()).toBe(true);
  });
});
