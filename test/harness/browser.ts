/** Runs a real browser for one test file, and checks every page for errors, blocked content and external requests. */
import type { Browser, BrowserContext, Locator, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { axe, chromium, chromiumPath } from './check-tools.ts';

/** Reason why browser tests are skipped; undefined if they run. */
export const noBrowser: string | undefined = chromiumPath ? undefined : 'no Chromium in /usr/bin';

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
  /** The only other host that a page may request. The test responds instead of it, so nothing leaves the machine. */
  readonly otherHost?: { readonly origin: string; readonly answer: (url: string) => Answer };
}

interface Answer {
  readonly contentType: string;
  readonly body: Buffer;
}

export interface TestBrowser {
  /** Opens a page of the console, such as `'/live?project=demo'`, and waits until it shows new events. */
  open(url: string, route: string, options?: PageOptions): Promise<Page>;
  /** Waits until a screen shows its data: nothing is being loaded, and no placeholder is left. */
  settle(page: Page): Promise<void>;
}

/**
 * Starts a browser for this file. After each test, closes its pages and checks that none had an error.
 *
 * The pages of a file share a context, so that the browser keeps the code of the console. What a test stores is cleared.
 */
export function useBrowser(): TestBrowser {
  let browser: Browser;
  let context: BrowserContext;
  const loading = new Map<Page, ReadonlySet<Request>>();
  let problems: string[] = [];

  beforeAll(async () => {
    if (!chromiumPath) return;
    browser = await chromium.launch({ executablePath: chromiumPath, args: flags });
    context = await browser.newContext({
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
  }, 60_000);
  afterAll(() => browser?.close());
  afterEach(async () => {
    await Promise.all(Array.from(loading.keys(), forget));
    await context?.clearCookies();
    loading.clear();
    const found = problems;
    problems = [];
    expect(found).toEqual([]);
  });

  return {
    open: async (url, route, { width = 1280, height = 800, theme = 'light', otherHost } = {}) => {
      const page = await context.newPage();
      // Less than a test may take, so that the failure says what was awaited.
      page.setDefaultTimeout(20_000);
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme });
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
      const main = page.getByRole('main');
      await main.getByRole('heading', { level: 1 }).first().waitFor();
      // A page misses what happens before it follows the events.
      const live = page.getByTitle('Event stream: live');
      await live
        .or(main.getByRole('heading', { name: 'Log in' }))
        .first()
        .waitFor({ state: 'attached' });
      return page;
    },
    settle: async (page) => {
      let quiet = 0;
      const look = async (): Promise<number> => {
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
        const isQuiet =
          loading.get(page)?.size === 0 &&
          (await page.getByRole('status').filter({ hasText: 'Loading…' }).count()) === 0;
        quiet = isQuiet ? quiet + 1 : 0;
        return quiet;
      };
      // Twice, because a page may process a response before it loads more.
      await expect.poll(look).toBeGreaterThan(1);
    },
  };
}

/** Closes a page, and deletes what it has stored. */
async function forget(page: Page): Promise<void> {
  if (page.isClosed()) return;
  await page.evaluate('localStorage.clear()');
  await page.close();
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
export function overflowOf(element: Locator): Promise<number> {
  return element.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Returns the accessibility violations that axe finds in a page. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  // Runs through the debugger, because the page's content security policy blocks other scripts.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  // Without the details of what has no violation, which take most of the time.
  const run = "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)";
  const violations = (await page.evaluate(run)) as readonly Violation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 200)}: ${node.failureSummary?.replaceAll('\n', ' ') ?? ''}`),
  );
}
