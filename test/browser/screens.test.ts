/** Every screen, empty and full, in both themes and on a small display: axe finds no violation, and nothing overflows. */
import { beforeAll, describe, expect, test } from 'vitest';
import { findBarriers, noBrowser, useBrowser } from '../harness/browser.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { fillDemo } from './demo.ts';
import { screenNames } from './screen-names.ts';

const empty = useSandbox();
const full = useSandbox();
const browser = useBrowser();

beforeAll(() => fillDemo(full));

describe.skipIf(noBrowser)('every screen', () => {
  describe.each(screenNames)('%s', (name) => {
    test.each([
      ['light', 'empty', empty],
      ['light', 'full', full],
      ['dark', 'empty', empty],
      ['dark', 'full', full],
    ] as const)('is accessible: %s, %s', async (theme, _kind, sandbox) => {
      const page = await browser.open(sandbox.url(), `/${name}`, { theme });
      await browser.settle(page);
      expect(await findBarriers(page)).toEqual([]);
    });

    test('fits a display of 360 pixels', async () => {
      for (const sandbox of [empty, full]) {
        const page = await browser.open(sandbox.url(), `/${name}`, { width: 360, height: 740 });
        await browser.settle(page);
        const { wide, inside } = (await page.evaluate(
          '({ wide: document.documentElement.scrollWidth, inside: document.querySelector("main").scrollWidth })',
        )) as { wide: number; inside: number };
        expect({ wide, inside }).toEqual({ wide: 360, inside: 360 });
      }
    });
  });
});
