/** Takes the screenshots for the docs: `npm run screenshots`. */
import { mkdirSync, statSync } from 'node:fs';
import { beforeAll, expect } from 'vitest';
import { useBrowser } from '../harness/browser.ts';
import { type Received, useReceiver } from '../harness/receiver.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { inBrowser, screenNames } from './page.ts';

const folder = 'docs/screenshots';
/** The screenshots are part of the repository, so they must be small. */
const maxBytes = 200_000;

const demo = 'demo';
const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z', demo: 'true' });
const receiver = useReceiver();
const browser = useBrowser();

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  const tries = new Map<string, number>();
  // The receiver refuses each callback twice.
  receiver.handle(({ headers }: Received) => {
    const id = String(headers['webhook-id']);
    const count = (tries.get(id) ?? 0) + 1;
    tries.set(id, count);
    if (count > 2) return 204;
    const body = Buffer.from('{"error":"The database is in maintenance.","retry":"in a minute"}');
    return { status: 503, headers: { 'content-type': 'application/json' }, body };
  });
  const { api, advance, control } = sandbox;
  await control('PUT', '/projects/demo/callback-endpoint', { url: `${receiver.url()}/callbacks` });
  const rules = [
    { name: 'down', when: { operation: 'syncImportOrders' }, then: { respond: { status: 500 } }, times: 1 },
  ];
  await control('PUT', '/projects/demo/scenarios', { scenarios: [{ name: 'orders-down', rules }] });
  const jobs = '/async/projects/demo/jobs';
  const ids = Array.from({ length: 50 }, (_, n) => `ORD-${20931 + n}`);
  for (const [gap, method, path, body] of [
    ['1m', 'POST', jobs, { jobs: ids.map((id) => ({ id })) }],
    [
      '4s',
      'POST',
      jobs,
      { jobs: [{ id: 'ORD-20990' }, { id: 'FAIL-GEOCODE-5' }, { id: 'ORD-20979', status: 'DELIVERD' }] },
    ],
    ['37s', 'PATCH', '/sync/projects/demo/jobs', { id: 'ORD-20931', status: 'DISPATCH' }],
    ['2s', 'POST', '/sync/projects/demo/orders', { orders: [{ id: 'O-4' }] }],
    ['9s', 'PATCH', '/sync/projects/demo/jobs', { id: 'ORD-20931', status: 'DELIVERD' }],
    ['1400ms', 'PATCH', '/sync/projects/demo/jobs', { id: 'ORD-20931', status: 'DELIVERED' }],
    ['900ms', 'POST', jobs, { jobs: [{ id: 'ORD-20996' }] }],
  ] as const) {
    await advance(demo, gap);
    await api(method, path, body);
  }
}, 60_000);

async function picture(name: string, query = '', theme: 'light' | 'dark' = 'light'): Promise<void> {
  const [screen] = name.split('-');
  const route = `/${screen}?project=${demo}${query}`;
  const page = await browser.open(sandbox.url(), route, { width: 1200, height: 750, theme });
  await page.waitForLoadState('networkidle');
  const path = `${folder}/${name}.png`;
  await page.screenshot({ path });
  expect(statSync(path).size).toBeLessThan(maxBytes);
}

inBrowser.each(screenNames)('%s', (name) => picture(name));

inBrowser('an id, an import with its callback of three attempts, and a scenario in the editor', async () => {
  await picture('entity', '&id=ORD-20931');
  await picture('scenarios-editor', '&edit=orders-down');
  const { body } = await sandbox.control('GET', `/projects/${demo}/callbacks?view=rows&entity=FAIL-GEOCODE-5`);
  const [callback] = body.items;
  await picture('live-request', `&request=${callback.requestId}`, 'dark');
  await picture('callbacks-attempts', `&callback=${callback.id}`);
});
