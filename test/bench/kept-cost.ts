/** What `--data` costs: one request after another, with few jobs held and with many. */
import path from 'node:path';
import { median } from '../rig/figures.ts';
import { load, type Payload } from './load.ts';
import { type Bench, type Measurement, playRounds } from './measurement.ts';
import { jobsBody, oneJob, project } from './payloads.ts';
import type { Row } from './row.ts';

const inARow = 200;
const heldCounts = [100, 20_000];
const maxAtOnce = 1000;

/** Milliseconds more for each request than without `--data`. */
export function keptCost(name: string): Measurement {
  return { name, run: (bench) => measure(name, bench) };
}

async function measure(name: string, bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const held of heldCounts) rows.push(await compare(name, held, bench));
  return rows;
}

async function compare(name: string, held: number, bench: Bench): Promise<Row> {
  const what = `${name}, ${held.toLocaleString('en')} jobs held`;
  const without = await bench.servers.sandbox();
  const kept = await bench.servers.sandbox('--data', path.join(bench.folder, `held-${held}`));
  for (const { url } of [without, kept]) await fill(url, held);
  const payload = { ...(await oneJob()), connections: 1, requests: inARow };
  const times = await playRounds(bench, what, async (round) => {
    // Beyond those that are held already.
    const options = { from: held + round * inARow, isOurs: true };
    return {
      without: median((await load(without.url, payload, options)).times),
      kept: median((await load(kept.url, payload, options)).times),
    };
  });
  await without.stop();
  await kept.stop();
  const values = times.map((time) => time.kept - time.without);
  const middle = (key: 'without' | 'kept'): string => `${median(times.map((time) => time[key])).toFixed(2)} ms`;
  const from = `a request: ${middle('without')} without, ${middle('kept')} with`;
  return { what, values, unit: 'ms', from };
}

async function fill(url: string, held: number): Promise<void> {
  for (let first = 0; first < held; first += maxAtOnce) {
    const body = await jobsBody(Math.min(maxAtOnce, held - first), first);
    const to = (): string => `/sync/projects/${project}/jobs/batch`;
    const payload: Payload = { name: '', connections: 1, requests: 1, path: to, body: () => body };
    await load(url, payload, { from: 0, isOurs: true });
  }
}
