/** What is measured in Chromium: pages of the console that open, new rows, and dropped frames. */
import type { Browser, CDPSession, Page } from 'playwright-core';
import { Client } from 'undici';
import { chromium } from '../../harness/check-tools.ts';
import { headers, load } from '../load.ts';
import type { Row } from '../row.ts';

const project = 'bench';
/** The text that every id begins with; a page that shows it shows requests. */
const idPrefix = 'BENCH-';
const batch = `/sync/projects/${project}/jobs/batch`;

/** Fills the journal of one project with small requests, some of which fail. */
export async function fill(url: string, requests: number): Promise<void> {
  const toIds = (n: number): readonly string[] => {
    if (n % 50 === 0) return [`${idPrefix}${n}`, `FAIL-${n}`];
    return Array.from({ length: n % 20 === 0 ? 10 : 1 }, (_, index) => `${idPrefix}${n}-${index}`);
  };
  const payload = {
    ...{ name: 'requests', connections: 8, requests },
    path: (n: number) => (n % 3 === 0 ? `/async/projects/${project}/jobs` : batch),
    body: (n: number) => JSON.stringify({ jobs: toIds(n).map((id) => ({ id })) }),
  };
  await load(url, payload, { from: 0, isOurs: false });
}

export function openBrowser(executablePath: string): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
  return chromium.launch({ executablePath, args });
}

/** Opens an empty page with an empty cache. `slower`: by which factor the processor is slowed down. */
export async function openPage(
  browser: Browser,
  slower = 1,
): Promise<{ readonly page: Page; readonly session: CDPSession; close(): Promise<void> }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  if (slower !== 1) await session.send('Emulation.setCPUThrottlingRate', { rate: slower });
  return { page, session, close: () => context.close() };
}

export const addressOf = (url: string, screen: string): string => `${url}/_sandbox/#/${screen}?project=${project}`;

/** For the name of a row. */
const toSpeed = (slower: number): string => (slower === 1 ? '' : ', a quarter of the speed');

const maxWaitMs = 30_000;

/** How a page is seen to be ready: a script that runs before its own, and an expression for when to stop looking, and the times then. */
interface Readiness {
  readonly address: string;
  readonly script: string;
  readonly isReady: string;
  readonly times: string;
}

/** Opens a page again and again, and returns the times of each round. The page's policy forbids Playwright's functions. */
async function openTimes(
  browser: Browser,
  { address, script, isReady, times }: Readiness,
  { rounds, slower }: { readonly rounds: number; readonly slower: number },
): Promise<readonly (readonly number[])[]> {
  const waitAndRead = `new Promise((resolve) => {
    const look = () => {
      const now = performance.now();
      if (!(${isReady}) && now < ${maxWaitMs}) return requestAnimationFrame(look);
      resolve((${times}).map((time) => time ?? now));
    };
    look();
  })`;
  const all: number[][] = [];
  // The first round warms the server up.
  for (let round = 0; round <= rounds; round += 1) {
    const { page, close } = await openPage(browser, slower);
    await page.addInitScript(script);
    await page.goto(address, { waitUntil: 'commit' });
    const found = (await page.evaluate(waitAndRead)) as number[];
    await close();
    if (round > 0) all.push(found);
  }
  return all;
}

interface Opening {
  readonly requests: number;
  readonly rounds: number;
  readonly slower: number;
}

/** How long the list of requests takes until it paints and until it shows a request. */
export async function measureOpening(browser: Browser, url: string, opening: Opening): Promise<readonly Row[]> {
  const script = `{
    const look = () => {
      if (document.querySelector('main')?.textContent.includes('${idPrefix}')) window.usableAt = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }`;
  const times = `[performance.getEntriesByName('first-contentful-paint')[0]?.startTime, window.usableAt]`;
  const address = addressOf(url, 'live');
  const rounds = await openTimes(browser, { address, script, isReady: 'window.usableAt', times }, opening);
  const { requests, slower } = opening;
  const from = `${requests.toLocaleString('en')} requests in the journal`;
  const goals = slower === 1 ? [{ atMost: 300 }, { atMost: 600 }] : [undefined, { atMost: 2000 }];
  return ['first paint', 'usable'].map((what, index) => ({
    ...{ what: `${what}${toSpeed(slower)}`, unit: 'ms', goal: goals[index], from },
    values: rounds.map((found) => found[index] ?? Number.NaN),
  }));
}

/** The reference has settled when nothing in it changed for this long. */
const quietMs = 1500;

/** How long the API reference takes until it changes no more. */
export async function measureReference(browser: Browser, url: string, opening: Opening): Promise<readonly Row[]> {
  // Notes the last frame after a change of the screen.
  const script = `{
    const look = new MutationObserver((changes) => {
      if (!changes.some(({ target }) => (target.closest ? target : target.parentElement)?.closest('main'))) return;
      requestAnimationFrame(() => { window.changedAt = performance.now(); });
    });
    look.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  }`;
  const isReady = `document.querySelector('main form[aria-label=Request]') && now - window.changedAt > ${quietMs}`;
  const address = `${addressOf(url, 'reference')}&operation=asyncImportJobs`;
  const rounds = await openTimes(browser, { address, script, isReady, times: '[window.changedAt]' }, opening);
  const { slower } = opening;
  const what = `the reference settles${toSpeed(slower)}`;
  const goal = slower === 1 ? { atMost: 500 } : undefined;
  return [{ what, values: rounds.flat(), unit: 'ms', goal, from: 'from opening until the last change of the screen' }];
}

async function openLive(browser: Browser, url: string, slower?: number): ReturnType<typeof openPage> {
  const opened = await openPage(browser, slower);
  await opened.page.goto(addressOf(url, 'live'));
  await opened.page.getByText(idPrefix).first().waitFor();
  return opened;
}

/** Sends a request from the page, and returns the time from its response until the page has its id. */
const toProbe = (id: string): string => `new Promise((resolve) => {
  const body = JSON.stringify({ jobs: [{ id: '${id}' }] });
  let answeredAt;
  const look = () => {
    const isShown = document.querySelector('main').textContent.includes('${id}');
    if (isShown && answeredAt !== undefined) resolve(Math.max(0, performance.now() - answeredAt));
    else if (answeredAt !== undefined && performance.now() - answeredAt > 5000) resolve(5000);
    else requestAnimationFrame(look);
  };
  fetch('${batch}', { method: 'POST', headers: ${JSON.stringify(headers)}, body }).then(() => {
    answeredAt = performance.now();
  });
  requestAnimationFrame(look);
})`;

/** How long a request takes from its response until the list shows it. */
export async function measureNewRow(browser: Browser, url: string, requests: number): Promise<readonly Row[]> {
  const { page, close } = await openLive(browser, url);
  const values: number[] = [];
  for (let n = 0; n < requests; n += 1) {
    values.push(Number(await page.evaluate(toProbe(`${idPrefix}NEW-${n}-${Date.now()}`))));
    await page.waitForTimeout(200);
  }
  await close();
  const from = 'from the response until the page shows it';
  return [{ what: 'a new row', values, unit: 'ms', goal: { atMost: 600 }, from }];
}

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

/** Which share of its frames the list of requests drops while requests arrive. */
export async function measureFrames(
  browser: Browser,
  url: string,
  { seconds, slower }: Counting,
): Promise<readonly Row[]> {
  const { page, close } = await openLive(browser, url, slower);
  await page.waitForTimeout(1000);
  const idle = Number(await page.evaluate(toCount(2)));
  const stop = sendSteadily(url);
  const dropped = Number(await page.evaluate(toCount(seconds)));
  const sent = await stop();
  await close();
  const from = `${Math.round(sent / seconds)} requests per second; ${idle.toFixed(1)} % without requests`;
  const goal = { atMost: slower === 1 ? 5 : 20 };
  return [{ what: `dropped frames${toSpeed(slower)}`, values: [dropped], unit: '%', goal, from }];
}

/** Sends requests at a steady rate until the returned function is called, which returns their number. */
function sendSteadily(url: string): () => Promise<number> {
  const client = new Client(url, { pipelining: 1 });
  const startedAt = performance.now();
  const sending: Promise<unknown>[] = [];
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) * perSecond) / 1000;
    while (sending.length < due) {
      const body = JSON.stringify({ jobs: [{ id: `${idPrefix}STEADY-${startedAt}-${sending.length}` }] });
      sending.push(client.request({ method: 'POST', path: batch, body, headers }).then((answer) => answer.body.dump()));
    }
  }, 1000 / perSecond);
  return async () => {
    clearInterval(timer);
    await Promise.all(sending);
    await client.destroy();
    return sending.length;
  };
}
