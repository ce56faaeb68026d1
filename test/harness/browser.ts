/** Runs a real browser for one test file, and checks every page for errors, blocked content and external requests. */
import { existsSync } from 'node:fs';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { axe, chromium } from './check-tools.ts';

/** Paths of Chromium on Debian and other systems. */
const candidatePaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const executablePath = candidatePaths.find((file) => existsSync(file));

/** Reason why browser tests are skipped; undefined if they run. */
export const noBrowser: string | undefined = executablePath ? undefined : `no Chromium in ${candidatePaths.join(', ')}`;

if (noBrowser) console.warn(`SKIPPED: the console's tests in a browser, since there is ${noBrowser}.`);

/** Prevents the browser's own requests, because there may be no network. */
const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  /** Ignores certificate errors, because a browser has no option to trust one more certificate. */
  readonly trustsAll?: boolean;
  /** The only other host that a page may request. The test responds instead of it, so nothing leaves the machine. */
  readonly otherHost?: { readonly origin: string; readonly answer: (url: string) => Answer };
}

interface Answer {
  readonly contentType: string;
  readonly body: Buffer;
}

export interface TestBrowser {
  /** Opens a page of the console: `'/live?project=demo'`. */
  open(url: string, route: string, options?: PageOptions): Promise<Page>;
  /** Waits until a screen shows its data: nothing is being loaded, and no placeholder is left. */
  settle(page: Page): Promise<void>;
}

/** Starts a browser for this file. After each test, closes its pages and checks that none had an error. */
export function useBrowser(): TestBrowser {
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  const loading = new Map<Page, ReadonlySet<Request>>();
  let problems: string[] = [];

  beforeAll(async () => {
    if (executablePath) browser = await chromium.launch({ executablePath, args: flags });
  }, 60_000);
  afterAll(() => browser?.close());
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    loading.clear();
    const found = problems;
    problems = [];
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
      loading.set(page, watchLoading(page));
      page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
      page.on('console', (message) => {
        // The page shows errors of the sandbox; the browser also logs the failed request, which is expected.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
          problems.push(`console: ${message.text()}`);
        }
      });
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (origin === otherHost?.origin) return;
        if (origin !== url && protocol !== 'data:' && protocol !== 'blob:') problems.push(`foreign: ${request.url()}`);
      });
      if (otherHost) {
        await page.route(`${otherHost.origin}/**`, (route) => route.fulfill(otherHost.answer(route.request().url())));
      }
      await page.goto(`${url}/_sandbox/#${route}`);
      await page.locator('main h1').first().waitFor();
      return page;
    },
    settle: async (page) => {
      let quiet = 0;
      const look = async (): Promise<number> => {
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
        const isQuiet = loading.get(page)?.size === 0 && (await page.locator('.skeleton').count()) === 0;
        quiet = isQuiet ? quiet + 1 : 0;
        return quiet;
      };
      // Twice, because a page may process a response before it loads more.
      await expect.poll(look).toBeGreaterThan(1);
    },
  };
}

/** Collects the requests of a page without a complete response. The stream of events never has one. */
function watchLoading(page: Page): ReadonlySet<Request> {
  const pending = new Set<Request>();
  page.on('request', (request) => {
    if (request.resourceType() !== 'eventsource') pending.add(request);
  });
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => pending.delete(request));
  return pending;
}

/** Returns by how many pixels the content of an element is wider than its visible part. */
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

/** Returns the accessibility violations that axe finds in a page. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  // Runs through the debugger, because the page's content security policy blocks other scripts.
  await page.evaluate(axe.source);
  const violations = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as readonly Violation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 200)}: ${node.failureSummary?.replaceAll('\n', ' ') ?? ''}`),
  );
}
