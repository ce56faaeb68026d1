/** Throughput as a ratio to the floor: both get the same payload in turn, with new projects each round. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { median, percentile } from '../rig/figures.ts';
import { reset } from './control.ts';
import { load, type Payload, type Result } from './load.ts';
import { type Bench, type Measurement, playRounds } from './measurement.ts';
import type { Goal, Row } from './row.ts';

export interface Throughput {
  readonly name: string;
  readonly payload: () => Promise<Payload>;
  /** The goals of the ratio, and of the ratio of the 99th percentiles. */
  readonly goal: Goal;
  readonly p99Goal?: Goal;
  /** The sandbox's profile as YAML, if it is not the default one. */
  readonly profile?: string;
}

export function throughput(wanted: Throughput): Measurement {
  return { name: wanted.name, run: (bench) => measure(wanted, bench) };
}

/** The results of a round. */
interface Results {
  readonly floor: Result;
  readonly sandbox: Result;
}

async function measure(wanted: Throughput, bench: Bench): Promise<readonly Row[]> {
  const payload = await wanted.payload();
  const floor = await bench.servers.floor();
  const sandbox = await bench.servers.sandbox(...(await toOptions(wanted.profile, bench.folder)));
  const results = await playRounds(bench, payload.name, async (round) => {
    const from = round * payload.requests;
    const result = {
      floor: await load(floor.url, payload, { from, isOurs: false }),
      sandbox: await load(sandbox.url, payload, { from, isOurs: true }),
    };
    await reset(sandbox.url);
    return result;
  });
  await floor.stop();
  await sandbox.stop();
  return toRows(`${payload.name} ÷ floor`, results, wanted);
}

async function toOptions(profile: string | undefined, folder: string): Promise<readonly string[]> {
  if (profile === undefined) return [];
  const file = path.join(folder, 'profile.yaml');
  await writeFile(file, profile);
  return ['--profile', file];
}

function toRows(what: string, results: readonly Results[], { goal, p99Goal }: Throughput): readonly Row[] {
  const [floor, sandbox] = [results.map((one) => one.floor), results.map((one) => one.sandbox)];
  const values = results.map((one) => one.sandbox.perSecond / one.floor.perSecond);
  const tail = toP99(sandbox) / toP99(floor);
  const tails = `floor ${toP99(floor).toFixed(1)} ms, sandbox ${toP99(sandbox).toFixed(1)} ms`;
  const from = `floor ${toRate(floor)}, sandbox ${toRate(sandbox)}; p99: ${tails}, ratio ${tail.toFixed(2)}`;
  const row: Row = { what, values, unit: 'ratio', goal, from };
  if (!p99Goal) return [row];
  return [row, { what: `p99 of ${what}`, values: [tail], unit: 'ratio', goal: p99Goal, from: `${tails}, all rounds` }];
}

const toRate = (results: readonly Result[]): string =>
  `${median(results.map(({ perSecond }) => perSecond)).toFixed(0)}/s`;

const toP99 = (results: readonly Result[]): number =>
  percentile(
    results.flatMap(({ times }) => times),
    99,
  );
