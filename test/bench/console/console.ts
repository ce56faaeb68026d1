/**
 * `npm run bench:console`: measures the console in Chromium. Prints the figures beside the asked ones, and always ends
 * with 0. docs/contributing/benchmark.md describes the rows.
 */
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { chromiumPath as executablePath } from '../../harness/check-tools.ts';
import { endOnSignals } from '../../rig/process.ts';
import { createProgress } from '../progress.ts';
import { head, type Row, toRowLine } from '../row.ts';
import { createFolder, servers } from '../servers.ts';
import { measureBytes } from './bytes.ts';
import { fill, measureFrames, measureNewRow, measureOpening, measureReference, openBrowser } from './pages.ts';

interface Options {
  readonly requests: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly json?: true;
}

/** Number of requests in the journal for the bytes of each screen. */
const requestsForBytes = 4000;

function toCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`expected a whole number from 1 to 999999, got ${JSON.stringify(text)}`);
}

const { requests, rounds, seconds, json } = new Command('npm run bench:console --')
  .description('Measure the console in Chromium. The table goes to stdout, progress to stderr.')
  .option('--requests <number>', 'requests in the journal', toCount, 50_000)
  .option('--rounds <number>', 'how often each page is opened', toCount, 5)
  .option('--seconds <number>', 'how long requests arrive while frames are counted', toCount, 10)
  .option('--json', 'print the figures as JSON')
  .parse()
  .opts<Options>();

endOnSignals();
const folder = createFolder();
const progress = createProgress(process.stderr);
const rows: Row[] = [];

/** Runs a measurement. One that fails becomes a row without a figure, so that the others still run. */
async function measure(what: string, run: () => Promise<readonly Row[]>): Promise<void> {
  progress.say(what);
  try {
    rows.push(...(await run()));
  } catch (error) {
    rows.push({
      what,
      values: [],
      unit: 'ms',
      from: `failed: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
}

async function startFilled(count: number): Promise<string> {
  const profile = path.join(folder, `${count}.yaml`);
  writeFileSync(profile, `limits: { journal: ${count} }\n`);
  const { url } = await servers.sandbox('--profile', profile, '--log', 'off');
  progress.say(`sends ${count.toLocaleString('en')} requests`);
  await fill(url, count);
  return url;
}

if (executablePath === undefined) {
  process.stderr.write('\nSKIPPED: there is no Chromium (apt-get install chromium).\n\n');
} else {
  const browser = await openBrowser(executablePath);
  const small = await startFilled(requestsForBytes);
  await measure('bytes of each screen', () => measureBytes(browser, small, requestsForBytes));
  const url = await startFilled(requests);
  for (const slower of [1, 4])
    await measure('opening', () => measureOpening(browser, url, { requests, rounds, slower }));
  for (const slower of [1, 4])
    await measure('the reference', () => measureReference(browser, url, { requests, rounds, slower }));
  await measure('a new row', () => measureNewRow(browser, url, 4 * rounds));
  for (const slower of [1, 4]) await measure('dropped frames', () => measureFrames(browser, url, { seconds, slower }));
  await browser.close();
}
progress.clear();
if (json)
  process.stdout.write(
    `${JSON.stringify({ node: process.version, cores: os.availableParallelism(), rows }, null, 2)}\n`,
  );
else
  process.stdout.write(
    `Node ${process.version}, ${os.availableParallelism()} cores; the figure is the median.\n\n${head}${rows.map(toRowLine).join('')}`,
  );
process.exit(0);
