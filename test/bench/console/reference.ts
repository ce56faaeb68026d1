/** Measures how long the API reference takes until it changes no more. */
import type { Browser } from 'playwright-core';
import type { Row } from '../row.ts';
import { openPage, toSpeed } from './browser.ts';
import { project } from './fill.ts';

const operation = 'asyncImportJobs';
/** The screen has settled when nothing in it changed for this long. */
const quietMs = 1500;
const maxWaitMs = 30_000;

/** Notes the last frame after a change of the screen. */
const script = `{
  const look = new MutationObserver((changes) => {
    if (!changes.some(({ target }) => (target.closest ? target : target.parentElement)?.closest('main'))) return;
    requestAnimationFrame(() => { window.changedAt = performance.now(); });
  });
  look.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
}`;

/** Waits until the description and the form are complete and quiet. The page's policy forbids Playwright's functions. */
const waitAndRead = `new Promise((resolve) => {
  const look = () => {
    const now = performance.now();
    const isDrawn = document.querySelector('main form[aria-label=Request]');
    if (now < ${maxWaitMs} && (!isDrawn || now - window.changedAt < ${quietMs})) return setTimeout(look, 100);
    resolve(now < ${maxWaitMs} ? window.changedAt : now);
  };
  look();
})`;

interface Opening {
  readonly rounds: number;
  readonly slower: number;
}

export async function measureReference(
  browser: Browser,
  url: string,
  { rounds, slower }: Opening,
): Promise<readonly Row[]> {
  const values: number[] = [];
  // The first round warms the server up.
  for (let round = 0; round <= rounds; round += 1) {
    const { page, close } = await openPage(browser, { slower, script });
    await page.goto(`${url}/_sandbox/#/reference?project=${project}&operation=${operation}`, { waitUntil: 'commit' });
    const ms = Number(await page.evaluate(waitAndRead));
    await close();
    if (round > 0) values.push(ms);
  }
  const from = 'from opening until the last change of the screen';
  return [
    {
      what: `the reference settles${toSpeed(slower)}`,
      values,
      unit: 'ms',
      goal: slower === 1 ? { atMost: 500 } : undefined,
      from,
    },
  ];
}
