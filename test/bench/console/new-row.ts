/** Measures how long a request takes from its response until the list shows it. */
import type { Browser } from 'playwright-core';
import type { Row } from '../row.ts';
import { openPage } from './browser.ts';
import { idPrefix, project } from './fill.ts';

/** Sends a request from the page, and returns the time from its response until the page has its id. */
const toProbe = (id: string): string => `new Promise((resolve) => {
  const body = JSON.stringify({ jobs: [{ id: '${id}' }] });
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  let answeredAt;
  const look = () => {
    const isShown = document.querySelector('main').textContent.includes('${id}');
    if (isShown && answeredAt !== undefined) resolve(Math.max(0, performance.now() - answeredAt));
    else if (answeredAt !== undefined && performance.now() - answeredAt > 5000) resolve(5000);
    else requestAnimationFrame(look);
  };
  fetch('/sync/projects/${project}/jobs/batch', { method: 'POST', headers, body }).then(() => {
    answeredAt = performance.now();
  });
  requestAnimationFrame(look);
})`;

export async function measureNewRow(browser: Browser, url: string, requests: number): Promise<readonly Row[]> {
  const { page, close } = await openPage(browser);
  await page.goto(`${url}/_sandbox/#/live?project=${project}`);
  await page.getByText(idPrefix).first().waitFor();
  const values: number[] = [];
  for (let n = 0; n < requests; n += 1) {
    const ms = await page.evaluate(toProbe(`${idPrefix}NEW-${n}-${Date.now()}`));
    values.push(Number(ms));
    await page.waitForTimeout(200);
  }
  await close();
  return [
    { what: 'a new row', values, unit: 'ms', goal: { atMost: 600 }, from: 'from the response until the page shows it' },
  ];
}
