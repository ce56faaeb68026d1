/** A real browser for one test file: every page of it is watched for errors, forbidden content and foreign requests. */
import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

/** Where Debian and others put it. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const executablePath = places.find((place) => existsSync(place));

/** Why no browser test runs here; undefined where they do. */
export const noBrowser: string | undefined = executablePath ? undefined : `no Chromium in ${places.join(', ')}`;

if (noBrowser) console.warn(`SKIPPED: the console's tests in a browser, since there is ${noBrowser}.`);

/** It must not ask for anything by itself: there may be no network. */
const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  /** Certificates are not looked at: a browser has no option by which it trusts one more. */
  readonly trustsAll?: boolean;
  /** The one other host that may be asked. The test answers in its place: nothing leaves the machine. */
  readonly otherHost?: { readonly origin: string; readonly answer: (url: string) => Answer };
}

interface Answer {
  readonly contentType: string;
  readonly body: Buffer;
}

export interface TestBrowser {
  /** Opens a page of the console: `'/live?project=demo'`. */
  open(url: string, route: string, options?: PageOptions): Promise<Page>;
}

/** A browser for this file. After each test its pages are closed, and none may have had an error. */
export function useBrowser(): TestBrowser {
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  let troubles: string[] = [];

  beforeAll(async () => {
    if (executablePath) browser = await chromium.launch({ executablePath, args: flags });
  }, 60_000);
  afterAll(() => browser?.close());
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    const found = troubles;
    troubles = [];
    expect(found).toEqual([]);
  });

  return {
    open: async (url, route, { width = 1280, height = 800, theme = 'light', trustsAll = false, otherHost } = {}) => {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        ignoreHTTPSErrors: trustsAll,
        reducedMotion: 'reduce',
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      contexts.push(context);
      const page = await context.newPage();
      page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
      page.on('console', (message) => {
        // What the sandbox refuses is shown by the page; the browser also notes the status.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
          troubles.push(`console: ${message.text()}`);
        }
      });
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (origin === otherHost?.origin) return;
        if (origin !== url && protocol !== 'data:' && protocol !== 'blob:') troubles.push(`foreign: ${request.url()}`);
      });
      if (otherHost) {
        await page.route(`${otherHost.origin}/**`, (route) => route.fulfill(otherHost.answer(route.request().url())));
      }
      await page.goto(`${url}/_sandbox/#${route}`);
      await page.locator('main h1').first().waitFor();
      return page;
    },
  };
}

/** By how many pixels the content of an element is wider than what is seen of it. */
export async function overflowOf(page: Page, selector: string): Promise<number> {
  const found = await page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.querySelector(${JSON.stringify(selector)});
    return scrollWidth - clientWidth;
  })()`);
  return found as number;
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe finds wrong with a page as it stands. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  // By the debugger: a script in the page would be against its policy.
  await page.evaluate(axe.source);
  const violations = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as readonly Violation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 200)}: ${node.failureSummary?.replaceAll('\n', ' ') ?? ''}`),
  );
}
