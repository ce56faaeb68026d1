/** The time of an import of 10,000 jobs as a ratio to one of 1,000: valid and invalid ones. */
import type { Json } from '../../src/lib/json.ts';
import { sampleBody } from '../../src/samples/sample.ts';
import { mean, median } from '../rig/figures.ts';
import { reset } from './control.ts';
import { load } from './load.ts';
import { type Bench, type Measurement, playRounds } from './measurement.ts';
import type { Goal, Row } from './row.ts';
import type { Server } from './servers.ts';

const few = 1000;
const many = 10_000;

interface Kind {
  readonly what: string;
  /** Whether the sandbox rejects all entries and lists them. */
  readonly isRefused: boolean;
  toEntry(sample: Json): object;
}

const kinds: readonly Kind[] = [
  { what: 'valid jobs', isRefused: false, toEntry: (sample) => sample },
  { what: 'jobs, status wrong', isRefused: true, toEntry: (sample) => ({ ...sample, status: 'DELIVERD' }) },
];

/** The time of 10,000 entries as a ratio to that of 1,000, one import after another. */
export function importGrowth(name: string, goal: Goal): Measurement {
  return { name, run: (bench) => measure(name, goal, bench) };
}

async function measure(name: string, goal: Goal, bench: Bench): Promise<readonly Row[]> {
  const samples = ((await sampleBody('syncCreateJobs', { count: many, seed: 'bench' })) as { jobs: Json[] }).jobs;
  const rows: Row[] = [];
  for (const kind of kinds) {
    const server = await bench.servers.sandbox();
    const entries = samples.map((sample) => kind.toEntry(sample));
    const toBody = (list: readonly object[]): Buffer => Buffer.from(JSON.stringify({ jobs: list }));
    const bodies = { few: toBody(entries.slice(0, few)), many: toBody(entries) };
    const times = await playTwice(`${name}: ${kind.what}`, kind, bodies, server, bench);
    await server.stop();
    const values = times.map((time) => time.many / time.few);
    const middle = (key: 'few' | 'many'): string => `${median(times.map((time) => time[key])).toFixed(1)} ms`;
    const from = `1,000: ${middle('few')}, 10,000: ${middle('many')} (${(bodies.many.length / 1024 ** 2).toFixed(1)} MB)`;
    rows.push({ what: `${name}: ${kind.what}`, values, unit: 'ratio', goal, from });
  }
  return rows;
}

/** In each round ten small ones, whose mean counts, and a large one: the same work twice. */
async function playTwice(
  label: string,
  { isRefused }: Kind,
  bodies: { readonly few: Buffer; readonly many: Buffer },
  { url }: Server,
  { rounds, say }: Bench,
): Promise<readonly { readonly few: number; readonly many: number }[]> {
  const path = (n: number): string => `/sync/projects/growth-${n}/jobs/batch`;
  const timesOf = async (body: Buffer, requests: number, from: number): Promise<readonly number[]> => {
    const payload = { name: label, connections: 1, requests, path, body: () => body };
    return (await load(url, payload, { from, isOurs: !isRefused })).times;
  };
  return playRounds({ rounds: rounds * 2, say }, label, async () => {
    const result = {
      few: mean(await timesOf(bodies.few, 10, 0)),
      many: mean(await timesOf(bodies.many, 1, 10)),
    };
    await reset(url);
    return result;
  });
}
