/** Loads are slow, fail, or end in another order than they began: the console shows only data of the selection. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { createGate, heading, processed, rowLinks, show } from './page.ts';

const sandbox = useSandbox();
const browser = useBrowser();
let project = '';

beforeEach(async () => {
  project = freshProject();
  await sandbox.freeze(project);
});

const importJob = (id: string) => sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id }] });
const importOrder = (id: string) => sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id }] });
const open = (route: string) => browser.open(sandbox.url(), route);
const proxyPage = { status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' };

interface HeldLoad {
  /** Waits until the sandbox has responded. */
  readonly begun: Promise<void>;
  readonly release: () => Promise<void>;
}

/** Holds the response to the first request for a URL. */
async function holdFirst(page: Page, url: RegExp): Promise<HeldLoad> {
  const [begun, released, answered] = [createGate(), createGate(), createGate()];
  await page.route(
    url,
    async (route) => {
      const response = await route.fetch();
      begun.open();
      await released.passed;
      await route.fulfill({ response });
      answered.open();
    },
    { times: 1 },
  );
  const release = async (): Promise<void> => {
    released.open();
    await answered.passed;
    await processed(page);
  };
  return { begun: begun.passed, release };
}

test.skipIf(noBrowser).each(['live', 'callbacks', 'records', 'scenarios', 'quality?tab=problems'])(
  '%s says that it loads, and that nothing is missing only afterwards',
  async (screen) => {
    const page = await open('/connect');
    const held = createGate();
    await page.route(/\/_sandbox\/(?!assets|session|settings|events|#|$)/, async (route) => {
      await held.passed;
      await route.continue();
    });
    await page.goto(`${sandbox.url()}/_sandbox/#/${screen}${screen.includes('?') ? '&' : '?'}project=${project}-new`);
    await page.reload();
    const missing = page.getByRole('main').getByRole('heading', { name: /^No / });
    await page.getByText('Loading…').first().waitFor();
    expect(await missing.count()).toBe(0);
    held.open();
    await page.getByText('Loading…').first().waitFor({ state: 'detached' });
    if (screen !== 'scenarios') await missing.waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  },
);

describe.skipIf(noBrowser)('the rows of a list', () => {
  test.each([
    ['Requests', 'live', /\/requests\?/],
    ['Callbacks', 'callbacks', /\/callbacks\?view=rows/],
  ] as const)('%s: stay while a filter changes, and go with their project', async (table, screen, url) => {
    await importJob('FAIL-1');
    await sandbox.advance(project);
    const page = await open(`/${screen}?project=${project}`);
    const count = () => rowLinks(page, table).count();
    await expect.poll(count).toBe(1);

    const filtered = await holdFirst(page, url);
    await show(page, `/${screen}?project=${project}&q=nowhere`);
    await filtered.begun;
    expect(await count()).toBe(1);
    await filtered.release();
    await page.getByRole('heading', { name: 'No matches' }).waitFor();

    await show(page, `/${screen}?project=${project}`);
    await expect.poll(count).toBe(1);
    await page.route(url, (route) => route.fulfill(proxyPage));
    await show(page, `/${screen}?project=${project}-other`);
    await page.getByRole('alert').getByText('the response is not from the sandbox: 502 Bad Gateway').waitFor();
    await expect.poll(count).toBe(0);
  });

  test('are those of the latest load, also if an earlier one of the same selection ends later', async () => {
    const page = await open('/connect');
    const earlier = await holdFirst(page, /\/callbacks\?view=rows/);
    await show(page, `/callbacks?project=${project}&q=FAIL`);
    await earlier.begun;
    await show(page, `/callbacks?project=${project}`);
    await page.getByRole('heading', { name: 'No callbacks yet' }).waitFor();
    await importJob('FAIL-1');
    await sandbox.advance(project);
    await show(page, `/callbacks?project=${project}&q=FAIL`);
    await expect.poll(() => rowLinks(page, 'Callbacks').count()).toBe(1);
    await earlier.release();
    expect(await rowLinks(page, 'Callbacks').count()).toBe(1);

    const records = await holdFirst(page, /\/orders\?/);
    await show(page, `/records?project=${project}&collection=orders`);
    await records.begun;
    await show(page, `/records?project=${project}&collection=routes`);
    await page.getByText('No routes yet').waitFor();
    await importOrder('O-1');
    await show(page, `/records?project=${project}&collection=orders`);
    const order = page.getByRole('link', { name: 'O-1', exact: true });
    await order.waitFor();
    await records.release();
    expect(await order.count()).toBe(1);
  });
});

test.skipIf(noBrowser)('a search text that is too long for the sandbox is cut', async () => {
  const page = await open(`/callbacks?project=${project}&q=${'x'.repeat(201)}`);
  await page.getByRole('heading', { name: 'No matches' }).waitFor();
});

test.skipIf(noBrowser)('a project is not said to be missing if not all projects are loaded', async () => {
  await importJob('J-1');
  const page = await open('/connect');
  await page.route(/\/_sandbox\/projects\?/, async (route) => {
    const { items } = (await (await route.fetch()).json()) as { items: readonly { id: string }[] };
    const all = Array.from({ length: 1000 }, (_, n) => ({ ...items[0], id: `project-${n}` }));
    await route.fulfill({ json: { items: all } });
  });
  const missing = page.getByText('does not exist yet.');
  await show(page, '/connect?project=far');
  await missing.waitFor();
  const loaded = page.waitForResponse(/\/_sandbox\/projects\?/);
  await page.reload();
  await loaded;
  await heading(page, 'Connect').waitFor();
  await processed(page);
  expect(await missing.count()).toBe(0);
});
