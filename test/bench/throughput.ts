/** Throughput as a ratio to the floor's: both get the same payload in turn, on fresh worlds each round. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { reset } from './control.ts';
import { median, percentile } from './figures.ts';
import { type LoadOptions, load, type Payload, type Result } from './load.ts';
import type { Bench, Measurement } from './measurement.ts';
import type { Goal, Row } from './row.ts';
import type { Server } from './servers.ts';
import { hasWrk, loadByWrk } from './wrk.ts';

/** What is to be measured, and how. */
export interface Throughput {
  readonly name: string;
  readonly payload: () => Promise<Payload>;
  /** What the ratio, and that of the 99th percentiles, are to be. */
  readonly goal?: Goal;
  readonly p99Goal?: Goal;
  /** The sandbox's profile, as YAML, where it is not the usual one. */
  readonly profile?: string;
}

/** Who is measured. */
interface Contender {
  readonly name: string;
  readonly server: Server;
  readonly isOurs: boolean;
  readonly maxMs?: number;
}

type Loader = (url: string, payload: Payload, options: LoadOptions) => Promise<Result>;

/** How long one load of another mock server may take: some are slow. */
const maxOfPeerMs = 3000;

/** A load of our own, which can see from each answer that no entry has failed. */
export function throughput(wanted: Throughput): Measurement {
  return { name: wanted.name, run: (bench) => compare(wanted, bench, load) };
}

/** A load by wrk, as a check upon our own; left out where there is no wrk. */
export function throughputByWrk(wanted: Throughput): Measurement {
  const run = async (bench: Bench): Promise<readonly Row[]> => {
    if (await hasWrk()) return compare(wanted, { ...bench, peers: [] }, loadByWrk, ', by wrk');
    bench.warn('There is no wrk here (apt-get install wrk): its rows are left out.');
    return [];
  };
  return { name: wanted.name, run };
}

async function compare(wanted: Throughput, bench: Bench, loader: Loader, suffix = ''): Promise<readonly Row[]> {
  const payload = await wanted.payload();
  const options = await toOptions(wanted.profile, bench.folder);
  const floor: Contender = { name: 'floor', server: await bench.servers.floor(), isOurs: false };
  const contenders: Contender[] = [{ name: 'sandbox', server: await bench.servers.sandbox(...options), isOurs: true }];
  // What happens after the answer can't be asked of others.
  for (const peer of payload.settle ? [] : bench.peers)
    contenders.push({
      ...peer,
      server: await bench.servers.start(await peer.launch()),
      isOurs: false,
      maxMs: maxOfPeerMs,
    });
  const results = await playRounds(payload, [floor, ...contenders], bench, loader);
  for (const { server } of [floor, ...contenders]) await server.stop();
  const [base = [], ...others] = results;
  return contenders.flatMap((contender, index) => {
    const what = `${payload.name}${suffix}${contender.isOurs ? '' : `: ${contender.name}`} ÷ floor`;
    return toRows(contender, what, base, others[index] ?? 'was not measured', wanted);
  });
}

async function toOptions(profile: string | undefined, folder: string): Promise<readonly string[]> {
  if (profile === undefined) return [];
  const file = path.join(folder, 'profile.yaml');
  await writeFile(file, profile);
  return ['--profile', file];
}

/** All results of each contender, or why it has none. The first round only warms up. */
async function playRounds(
  payload: Payload,
  contenders: readonly Contender[],
  { rounds, say }: Bench,
  loader: Loader,
): Promise<(readonly Result[] | string)[]> {
  const results = contenders.map((): Result[] | string => []);
  for (let round = 0; round <= rounds; round += 1) {
    say(`${payload.name}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
    for (const [index, { name, server, isOurs, maxMs }] of contenders.entries()) {
      const known = results[index];
      if (!Array.isArray(known)) continue;
      try {
        const options = { from: round * payload.requests, isOurs, ...(maxMs && { maxMs }) };
        const result = await loader(server.url, payload, options);
        if (round > 0) known.push(result);
      } catch (error) {
        if (isOurs || name === 'floor') throw error;
        results[index] = String((error as Error).message);
      }
      if (isOurs) await reset(server.url);
    }
  }
  return results;
}

function toRows(
  { name, isOurs }: Contender,
  what: string,
  base: readonly Result[] | string,
  own: readonly Result[] | string,
  { goal, p99Goal }: Throughput,
): readonly Row[] {
  if (typeof base === 'string' || typeof own === 'string')
    return [{ what, values: [], unit: 'ratio', from: String(own) }];
  const rate = (results: readonly Result[]): string =>
    `${median(results.map(({ perSecond }) => perSecond)).toFixed(0)}/s`;
  const p99 = (results: readonly Result[]): number =>
    percentile(
      results.flatMap(({ times }) => times),
      99,
    );
  const values = own.map(({ perSecond }, round) => perSecond / (base[round]?.perSecond ?? Number.NaN));
  const tail = p99(own) / p99(base);
  const tails = `${p99(base).toFixed(1)} ms, ${name} ${p99(own).toFixed(1)} ms`;
  const from = `floor ${rate(base)}, ${name} ${rate(own)}; p99: floor ${tails}, ratio ${tail.toFixed(2)}`;
  const row: Row = { what, values, unit: 'ratio', goal: isOurs ? goal : undefined, from };
  if (!isOurs || !p99Goal) return [row];
  return [
    row,
    { what: `p99 of ${what}`, values: [tail], unit: 'ratio', goal: p99Goal, from: `floor ${tails}, all rounds` },
  ];
}
