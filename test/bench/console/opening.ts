/** Measures how long the list of requests takes until it paints and until it is usable. */
import type { Browser } from 'playwright-core';
import type { Row } from '../row.ts';
import { openPage, toSpeed } from './browser.ts';
import { idPrefix, project } from './fill.ts';

/** Notes the first frame in which the page shows a request. */
const script = `{
  const look = () => {
    if (document.querySelector('main')?.textContent.includes('${idPrefix}')) window.usableAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}`;

const maxWaitMs = 30_000;

/** Waits until the page is usable. The page's policy forbids the functions with which Playwright waits. */
const waitAndRead = `new Promise((resolve) => {
  const look = () => {
    const now = performance.now();
    if (window.usableAt === undefined && now < ${maxWaitMs}) return requestAnimationFrame(look);
    resolve([performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? now, window.usableAt ?? now]);
  };
  look();
})`;

interface Opening {
  readonly requests: number;
  readonly rounds: number;
  readonly slower: number;
}

export async function measureOpening(
  browser: Browser,
  url: string,
  { requests, rounds, slower }: Opening,
): Promise<readonly Row[]> {
  const paints: number[] = [];
  const usable: number[] = [];
  // The first round warms the server up.
  for (let round = 0; round <= rounds; round += 1) {
    const { page, close } = await openPage(browser, { slower, script });
    await page.goto(`${url}/_sandbox/#/live?project=${project}`, { waitUntil: 'commit' });
    const [paint, shown] = (await page.evaluate(waitAndRead)) as [number, number];
    await close();
    if (round === 0) continue;
    paints.push(paint);
    usable.push(shown);
  }
  const from = `${requests.toLocaleString('en')} requests in the journal`;
  const goals = slower === 1 ? { paint: { atMost: 300 }, usable: { atMost: 600 } } : { usable: { atMost: 2000 } };
  return [
    { what: `first paint${toSpeed(slower)}`, values: paints, unit: 'ms', goal: goals.paint, from },
    { what: `usable${toSpeed(slower)}`, values: usable, unit: 'ms', goal: goals.usable, from },
  ];
}
