/** Measures which share of its frames the list of requests drops while requests arrive. */
import type { Browser } from 'playwright-core';
import { Client } from 'undici';
import { headers } from '../load.ts';
import type { Row } from '../row.ts';
import { openPage, toSpeed } from './browser.ts';
import { idPrefix, project } from './fill.ts';

const perSecond = 100;
const frameMs = 1000 / 60;

/** Counts frames for a time, and returns the share that was dropped, in percent. */
const toCount = (seconds: number): string => `new Promise((resolve) => {
  const times = [];
  const end = performance.now() + ${seconds * 1000};
  const look = (at) => {
    times.push(at);
    if (performance.now() < end) return requestAnimationFrame(look);
    const expected = Math.round((times.at(-1) - times[0]) / ${frameMs});
    resolve(Math.max(0, 1 - (times.length - 1) / expected) * 100);
  };
  requestAnimationFrame(look);
})`;

interface Counting {
  readonly seconds: number;
  readonly slower: number;
}

export async function measureFrames(browser: Browser, url: string, counting: Counting): Promise<readonly Row[]> {
  const { seconds, slower } = counting;
  const { page, close } = await openPage(browser, { slower });
  await page.goto(`${url}/_sandbox/#/live?project=${project}`);
  await page.getByText(idPrefix).first().waitFor();
  await page.waitForTimeout(1000);
  const idle = Number(await page.evaluate(toCount(2)));
  const stop = sendSteadily(url);
  const dropped = Number(await page.evaluate(toCount(seconds)));
  const sent = await stop();
  await close();
  return [
    {
      what: `dropped frames${toSpeed(slower)}`,
      values: [dropped],
      unit: '%',
      goal: { atMost: slower === 1 ? 5 : 20 },
      from: `${Math.round(sent / seconds)} requests per second; ${idle.toFixed(1)} % without requests`,
    },
  ];
}

/** Sends requests at a steady rate until the returned function is called, which returns their number. */
function sendSteadily(url: string): () => Promise<number> {
  const client = new Client(url, { pipelining: 1 });
  const startedAt = performance.now();
  const sending = new Set<Promise<unknown>>();
  let sent = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) * perSecond) / 1000;
    for (; sent < due; sent += 1) {
      const body = JSON.stringify({ jobs: [{ id: `${idPrefix}STEADY-${startedAt}-${sent}` }] });
      const path = `/sync/projects/${project}/jobs/batch`;
      const one = client.request({ method: 'POST', path, body, headers }).then((answer) => answer.body.dump());
      sending.add(one);
      void one.finally(() => sending.delete(one));
    }
  }, 1000 / perSecond);
  return async () => {
    clearInterval(timer);
    await Promise.all(sending);
    await client.destroy();
    return sent;
  };
}
