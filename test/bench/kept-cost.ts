/** What `--data` costs: one request after another, with few jobs held and with many. */
import path from 'node:path';
import { median } from './figures.ts';
import { load, type Payload } from './load.ts';
import type { Bench, Measurement } from './measurement.ts';
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

async function compare(name: string, held: number, { rounds, servers, folder, say }: Bench): Promise<Row> {
  const what = `${name}, ${held.toLocaleString('en')} jobs held`;
  const without = await servers.sandbox();
  const kept = await servers.sandbox('--data', path.join(folder, `held-${held}`));
  for (const { url } of [without, kept]) await fill(url, held);
  const payload = { ...(await oneJob()), connections: 1, requests: inARow };
  const times = { without: [] as number[], kept: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    say(`${what}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
    // Beyond those that are held already.
    const options = { from: held + round * inARow, isOurs: true };
    const base = median((await load(without.url, payload, options)).times);
    const own = median((await load(kept.url, payload, options)).times);
    if (round === 0) continue;
    times.without.push(base);
    times.kept.push(own);
  }
  await without.stop();
  await kept.stop();
  const values = times.kept.map((ms, round) => ms - (times.without[round] ?? Number.NaN));
  const from = `a request: ${median(times.without).toFixed(2)} ms without, ${median(times.kept).toFixed(2)} ms with`;
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
