/** What the sandbox costs beside something else in the same run: the floor, or itself without what is measured. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Json } from '../../src/lib/json.ts';
import { sampleBody } from '../../src/samples/sample.ts';
import { mean, median, percentile } from '../rig/figures.ts';
import { processorMs } from '../rig/watched.ts';
import { reset, use } from './control.ts';
import { load, type Payload } from './load.ts';
import { type Bench, type ComparedSide, compare, type Measurement, type Side } from './measurement.ts';
import { fillJobs, oneJob, oneLocation, project } from './payloads.ts';
import type { Goal } from './row.ts';
import type { Server } from './servers.ts';

/** Writes a profile, and returns the options of a sandbox with it. */
export function toProfile({ folder }: Bench, profile: string | undefined): readonly string[] {
  if (profile === undefined) return [];
  const file = path.join(folder, 'profile.yaml');
  writeFileSync(file, profile);
  return ['--profile', file];
}

interface Throughput {
  readonly name: string;
  readonly payload: () => Promise<Payload>;
  /** The goals of the ratio, and of the ratio of the 99th percentiles. */
  readonly goal: Goal;
  readonly p99Goal?: Goal;
  /** The sandbox's profile as YAML, if it is not the default one. */
  readonly profile?: string;
}

/** Throughput as a ratio to the floor: both get the same payload in turn, with new projects each round. */
export function throughput({ name, payload: toPayload, goal, p99Goal, profile }: Throughput): Measurement {
  return {
    name,
    run: async (bench) => {
      const payload = await toPayload();
      const [floor, sandbox] = [await bench.servers.floor(), await bench.servers.sandbox(...toProfile(bench, profile))];
      const tails = { floor: [] as number[], sandbox: [] as number[] };
      const toSide = (side: 'floor' | 'sandbox', { url }: Server): Side => ({
        name: side,
        play: async (round) => {
          const options = { from: round * payload.requests, isOurs: side === 'sandbox' };
          const { perSecond, times } = await load(url, payload, options);
          if (round > 0) tails[side].push(...times);
          return perSecond;
        },
      });
      const what = `${payload.name} ÷ floor`;
      const rows = await compare(bench, payload.name, {
        ...{ way: 'ratio', of: '/s', base: toSide('floor', floor) },
        others: [{ ...toSide('sandbox', sandbox), what, goal }],
        end: () => reset(sandbox.url),
      });
      await floor.stop();
      await sandbox.stop();
      if (!p99Goal) return rows;
      const [base, own] = [percentile(tails.floor, 99), percentile(tails.sandbox, 99)];
      const from = `floor ${base.toFixed(1)} ms, sandbox ${own.toFixed(1)} ms, all rounds`;
      return [...rows, { what: `p99 of ${what}`, values: [own / base], unit: 'ratio', goal: p99Goal, from }];
    },
  };
}

/** The time of a start: from the process to the line that says ready, and to the first response of the API. */
export function startTime(name: string, goal: Goal): Measurement {
  return {
    name,
    run: async (bench) => {
      const once = { ...(await oneLocation()), connections: 1, requests: 1 };
      const toSide = (side: 'floor' | 'sandbox', isAsked: boolean): Side => ({
        name: side,
        play: async () => {
          const { startMs, url, stop } = await bench.servers[side]();
          const { times } = await load(url, once, { from: 0, isOurs: side === 'sandbox' });
          await stop();
          return startMs + (isAsked ? (times[0] ?? Number.NaN) : 0);
        },
      });
      const compareUntil = (until: string, isAsked: boolean) =>
        // Starts are short and differ much.
        compare({ ...bench, rounds: bench.rounds * 2 }, `${name} to ${until}`, {
          ...{ way: 'ratio', of: ' ms', base: toSide('floor', isAsked) },
          others: [{ ...toSide('sandbox', isAsked), what: `${name} to ${until} ÷ floor`, goal }],
        });
      return [...(await compareUntil('ready', false)), ...(await compareUntil('the first response', true))];
    },
  };
}

const ruleCount = 1000;

/** The rules, and what is said of them. */
const ruleKinds: readonly { readonly what: string; rule(n: number): object }[] = [
  { what: 'for other operations', rule: () => ({ when: { operation: 'asyncImportOrders' }, then: { latency: '0s' } }) },
  {
    what: 'for this one, each for an id',
    rule: (n) => ({ when: { operation: 'syncCreateJob', item: { id: `RULE-${n}` } }, then: { latency: '0s' } }),
  },
];

/** Throughput lost with a thousand active rules that do not act, in one process, so that only they differ. */
export function ruleCost(name: string, goal: Goal): Measurement {
  return {
    name,
    run: async (bench) => {
      const payload = await oneJob();
      const { url, stop } = await bench.servers.sandbox();
      const toSide = (side: string, scenario?: object): Side => ({
        name: side,
        play: async () => {
          await reset(url);
          await use(url, project, scenario);
          return (await load(url, payload, { from: 0, isOurs: true })).perSecond;
        },
      });
      const others = ruleKinds.map(({ what, rule }): ComparedSide => {
        const rules = Array.from({ length: ruleCount }, (_, n) => rule(n));
        return { ...toSide('with', { name: 'many-rules', rules }), what: `${name}, ${what}: loss`, goal };
      });
      const rows = await compare(bench, name, { way: 'less', of: '/s', base: toSide('without'), others });
      await stop();
      return rows;
    },
  };
}

/** Where the project is, and the same request with it there. */
const places: Readonly<Record<string, (payload: Payload) => Partial<Payload>>> = {
  query: () => ({ path: () => `/projects/locations?projectId=${project}` }),
  'header:x-project': () => ({ path: () => '/projects/locations', headers: { 'x-project': project } }),
  body: ({ body }) => ({
    path: () => '/projects/locations',
    body: (n) => String(body(n)).replace('{', `{"projectId":"${project}",`),
  }),
};

/** Requests in a row to one server: few, because the speed of a shared machine changes within a second. */
const inARow = 1000;

/** Processor time more for a small request whose project is outside of the path. Linux only. */
export function identifierCost(name: string, goal: Goal): Measurement {
  return {
    name,
    run: async (bench) => {
      const inPath = await oneLocation();
      const toSide = (side: string, { url, pid }: Server, payload: Payload): Side => ({
        name: side,
        play: async () => {
          const before = processorMs(pid);
          await load(url, { ...payload, requests: inARow }, { from: 0, isOurs: true });
          return ((processorMs(pid) - before) * 1000) / inARow;
        },
      });
      const rows = [];
      for (const [place, move] of Object.entries(places)) {
        const server = await bench.servers.sandbox();
        const moved = await bench.servers.sandbox(...toProfile(bench, `identifiers: { projectId: "${place}" }\n`));
        const what = `${name}, project in ${place.replace(/:.*/, '')}: processor time more`;
        const turns = (bench.rounds * inPath.requests) / inARow;
        const [row] = await compare({ ...bench, rounds: turns }, what, {
          ...{ way: 'more', of: ' µs', base: toSide('in the path', server, inPath) },
          others: [{ ...toSide('moved', moved, { ...inPath, ...move(inPath) }), what, goal }],
        });
        for (const one of [server, moved]) await one.stop();
        if (row) rows.push(row);
      }
      return rows;
    },
  };
}

const few = 1000;
const many = 10_000;

/** Whether the sandbox rejects all entries of an import, and lists them. */
const importKinds = [
  { what: 'valid jobs', isRejected: false },
  { what: 'jobs, status wrong', isRejected: true },
] as const;

/** The time of an import of 10,000 jobs as a ratio to the mean of ten imports of 1,000, one after another: the same work twice. */
export function importGrowth(name: string, goal: Goal): Measurement {
  return {
    name,
    run: async (bench) => {
      const samples = ((await sampleBody('syncCreateJobs', { count: many, seed: 'bench' })) as { jobs: Json[] }).jobs;
      const rows = [];
      for (const { what, isRejected } of importKinds) {
        const { url, stop } = await bench.servers.sandbox();
        const entries = samples.map((sample) => (isRejected ? { ...sample, status: 'DELIVERD' } : sample));
        const toSide = (count: number, requests: number, from: number): Side => {
          const body = Buffer.from(JSON.stringify({ jobs: entries.slice(0, count) }));
          const path = (n: number): string => `/sync/projects/growth-${n}/jobs/batch`;
          const payload = { name: what, connections: 1, requests, path, body: () => body };
          return {
            name: `${count.toLocaleString('en')}:`,
            play: async () => mean((await load(url, payload, { from, isOurs: !isRejected })).times),
          };
        };
        const label = `${name}: ${what}`;
        rows.push(
          ...(await compare({ ...bench, rounds: bench.rounds * 2 }, label, {
            ...{ way: 'ratio', of: ' ms', base: toSide(few, 10, 0) },
            others: [{ ...toSide(many, 1, 10), what: label, goal }],
            end: () => reset(url),
          })),
        );
        await stop();
      }
      return rows;
    },
  };
}

const keptInARow = 200;
const heldCounts = [100, 20_000];

/** Milliseconds more for each request with `--data`: one request after another, with few jobs held and with many. */
export function keptCost(name: string): Measurement {
  return {
    name,
    run: async (bench) => {
      const rows = [];
      for (const held of heldCounts) {
        const what = `${name}, ${held.toLocaleString('en')} jobs held`;
        const without = await bench.servers.sandbox();
        const kept = await bench.servers.sandbox('--data', path.join(bench.folder, `held-${held}`));
        for (const { url } of [without, kept]) await fillJobs(url, held);
        const payload = { ...(await oneJob()), connections: 1, requests: keptInARow };
        const toSide = (side: string, { url }: Server): Side => ({
          name: side,
          // Beyond those that are held already.
          play: async (round) =>
            median((await load(url, payload, { from: held + round * keptInARow, isOurs: true })).times),
        });
        rows.push(
          ...(await compare(bench, what, {
            ...{ way: 'extra', of: ' ms', base: toSide('without', without) },
            others: [{ ...toSide('with', kept), what, goal: undefined }],
          })),
        );
        for (const one of [without, kept]) await one.stop();
      }
      return rows;
    },
  };
}
