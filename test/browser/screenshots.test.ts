/** Takes the screenshots for the docs: `npm run screenshots`. */
import { mkdirSync, statSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { noBrowser, useBrowser } from '../harness/browser.ts';
import { useReceiver } from '../harness/receiver.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { demo } from './demo.ts';
import { playMorning } from './morning.ts';
import { screenNames } from './page.ts';
import { addWork } from './pending-work.ts';

const folder = 'docs/screenshots';
/** The screenshots are part of the repository, so they must be small. */
const maxBytes = 200_000;

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z', demo: 'true' });
const receiver = useReceiver();
const browser = useBrowser();

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  await addWork(sandbox, demo);
  await playMorning(sandbox, receiver);
}, 60_000);

const activate = (...scenarios: readonly object[]) =>
  sandbox.control('PUT', `/projects/${demo}/scenarios`, { scenarios });

type Prepare = (page: Page) => Promise<unknown>;

async function picture(
  name: string,
  query = '',
  theme: 'light' | 'dark' = 'light',
  prepare: Prepare = async () => undefined,
): Promise<void> {
  const [screen] = name.split('-');
  const route = `/${screen}?project=${demo}${query}`;
  const page = await browser.open(sandbox.url(), route, { width: 1200, height: 750, theme });
  await page.waitForLoadState('networkidle');
  await prepare(page);
  const path = `${folder}/${name}.png`;
  await page.screenshot({ path });
  expect(statSync(path).size).toBeLessThan(maxBytes);
}

describe.skipIf(noBrowser)('pictures', () => {
  test.each(screenNames)('%s', (name) => picture(name));

  test('an id that was created, updated and rejected, and the comparison of two of its requests', async () => {
    await activate();
    const update = (fields: object) => sandbox.api('PATCH', `/sync/projects/${demo}/jobs`, { id: 'J-1', ...fields });
    await sandbox.api('POST', `/sync/projects/${demo}/jobs/batch`, { jobs: [{ id: 'J-1', status: 'PENDING' }] });
    const a = await update({ status: 'DISPATCH' });
    const b = await update({ status: 'DELIVERED', address: { streetAddress: '14 Kent Street' } });
    await update({ status: 'DELIVERD' });
    await picture('entity', '&id=J-1');
    const [idOfA, idOfB] = [a, b].map(({ headers }) => headers['x-request-id']);
    await picture('live-compare', `&request=${idOfB}&compare=${idOfA}`);
  });

  test('a scenario in the editor', async () => {
    const rule = {
      name: 'down',
      when: { operation: 'syncImportOrders' },
      times: 1,
      then: { respond: { status: 500 } },
    };
    await activate({ name: 'orders-down', rules: [rule] });
    await sandbox.api('POST', `/sync/projects/${demo}/orders`, { orders: [{ id: 'O-5' }] });
    const show: Prepare = (page) => page.getByRole('note').first().waitFor();
    await picture('scenarios-editor', '&edit=orders-down', 'light', show);
  });

  test('an import with each kind of result, and its callback of three attempts', async () => {
    const rows = await sandbox.control(
      'GET',
      `/projects/${demo}/requests?view=rows&entity=ORD-20931&operation=asyncImportJobs`,
    );
    const id = String(rows.body.items[0].id);
    await picture('live-request', `&request=${id}`, 'dark');
    const { body } = await sandbox.control('GET', `/projects/${demo}/callbacks?requestId=${id}`);
    const [callback] = body.items;
    await picture('callbacks-attempts', `&callback=${callback.id}`);
  });
});
