/** Measures how long the map paints a frame while trails play. */
import type { Browser } from 'playwright-core';
import type { Row } from '../row.ts';
import { openPage, toSpeed } from './browser.ts';
import { sendTrails } from './fill.ts';

const project = 'bench-trails';

/** Moves the time of the trails, and returns the time of each painting. */
const paint = `(async () => {
  const slider = document.querySelector('map-time input');
  const times = [];
  for (let n = 1; n <= 30; n += 1) {
    slider.value = String(Number(slider.min) + (n / 31) * (slider.max - slider.min));
    slider.dispatchEvent(new Event('input'));
    await new Promise(requestAnimationFrame);
    const from = performance.now();
    await new Promise((resolve) => setTimeout(resolve));
    times.push(performance.now() - from);
  }
  return times;
})()`;

export async function measureTrails(browser: Browser, url: string, slower: number): Promise<readonly Row[]> {
  await sendTrails(url, project);
  const { page, close } = await openPage(browser, { slower });
  await page.goto(`${url}/_sandbox/#/map?project=${project}`);
  await page.getByRole('button', { name: 'Play the trails' }).waitFor();
  await page.getByText('10 drivers').waitFor();
  const values = (await page.evaluate(paint)) as number[];
  await close();
  const goal = slower === 1 ? { atMost: 50 } : undefined;
  return [
    { what: `a frame of the map${toSpeed(slower)}`, values, unit: 'ms', goal, from: 'ten trails of 1,000 points' },
  ];
}
