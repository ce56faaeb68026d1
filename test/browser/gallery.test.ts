/**
 * Takes pictures of every screen in both themes and at three widths, empty, with sample data and with a full journal,
 * into the folder of SCREENSHOTS: `SCREENSHOTS=/tmp/pictures npm run screenshots`.
 */
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, test } from 'vitest';
import { fill } from '../bench/console/fill.ts';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { writeProfile } from '../harness/profile.ts';
import { type TestSandbox, useSandbox } from '../harness/sandbox.ts';
import { demo } from './demo.ts';
import { screenNames } from './page.ts';
import { addWork } from './pending-work.ts';

// biome-ignore lint/style/noProcessEnv: vitest has no option for a value of a test
const folder = process.env['SCREENSHOTS'] ?? '';
const widths = [1440, 1024, 390];
const journal = 50_000;

const clock = '2026-03-02T09:30:00Z';
const browser = useBrowser();

describe.skipIf(noBrowser || folder === '')('pictures of every screen', () => {
  describe('empty', () => {
    const sandbox = useSandbox({ clock });
    takeAll('empty', sandbox, '');
  });

  describe('with sample data', () => {
    const sandbox = useSandbox({ clock, demo: 'true' });
    beforeAll(() => addWork(sandbox, demo), 60_000);
    takeAll('demo', sandbox, demo);

    test('of what a link opens', { timeout: 120_000 }, async () => {
      const requests = await sandbox.items(demo, 'requests');
      const [request = '', other = ''] = requests
        .filter(({ operation }) => operation === 'asyncImportJobs')
        .map(({ id }) => String(id));
      const [callback] = await sandbox.items(demo, 'callbacks');
      const query = `project=${demo}`;
      for (const [name, route] of [
        ['request', `live?${query}&request=${request}`],
        ['callback', `callbacks?${query}&callback=${callback?.['id']}`],
        ['entity', `entity?${query}&id=FAIL-GEOCODE-1`],
        ['compare', `compare?${query}&what=requests&a=${request}&b=${other}`],
        ['coverage', `quality?${query}&tab=coverage`],
        ['sweep', `quality?${query}&tab=sweep`],
      ]) {
        await take(sandbox, 'demo', name ?? '', route ?? '');
      }
    });
  });

  describe(`with ${journal.toLocaleString('en')} requests`, () => {
    const sandbox = useSandbox({ clock, profile: writeProfile({ limits: { journal } }) });
    beforeAll(() => fill(sandbox.url(), journal), 600_000);
    takeAll('full', sandbox, 'bench');
  });
});

function takeAll(kind: string, sandbox: TestSandbox, project: string): void {
  test.each(screenNames)('%s', { timeout: 120_000 }, (name) => take(sandbox, kind, name, `${name}?project=${project}`));
}

async function take(sandbox: TestSandbox, kind: string, name: string, route: string): Promise<void> {
  mkdirSync(`${folder}/${kind}`, { recursive: true });
  for (const width of widths) {
    for (const theme of ['light', 'dark'] as const) {
      const page = await browser.open(sandbox.url(), `/${route}`, { width, height: width < 500 ? 844 : 900, theme });
      await settle(page);
      await page.screenshot({ path: `${folder}/${kind}/${name}-${width}-${theme}.png` });
      await page.close();
    }
  }
}

/** Waits until the screen has loaded; a screen that never rests is taken as it is. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: 5000 }).catch(() => undefined);
  await page
    .getByText('Loading…')
    .first()
    .waitFor({ state: 'detached', timeout: 5000 })
    .catch(() => undefined);
}
