/** Takes the screenshots for the docs: `npm run screenshots`. */
import { mkdirSync, statSync } from 'node:fs';
import { beforeAll, expect } from 'vitest';
import { useBrowser } from '../harness/browser.ts';
import { type Received, useReceiver } from '../harness/receiver.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { demo, fillDemo } from './demo.ts';
import { inBrowser, screenNames } from './page.ts';

const folder = 'docs/screenshots';
/** The screenshots are part of the repository, so they must be small. */
const maxBytes = 200_000;

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
  await fillDemo(sandbox, `${receiver.url()}/callbacks`);
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
