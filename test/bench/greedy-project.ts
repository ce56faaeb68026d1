/** How long small requests of one project take while another project uses all that its limits allow. */
import { setTimeout as wait } from 'node:timers/promises';
import { percentile } from '../rig/figures.ts';
import { startBeside } from './beside.ts';
import { toProfile } from './costs.ts';
import { load } from './load.ts';
import { compare, type Measurement } from './measurement.ts';
import { oneJob } from './payloads.ts';
import type { Goal } from './row.ts';

/** As the operator of a sandbox that many share would set it. */
const profile = `limits:
  entries: 1000
  body: 2MB
  project:
    records: 20000
    bytes: 64MB
    pending: 1000
    scenarios: 500
    waiting: 20
    followers: 20
    requestsPerSecond: 20
`;

/** Requests of the other project in a round, over four connections. */
const requests = 400;

/** Over how many projects they are spread: the limit of a rate holds for each. */
const projects = 900;

/** How long the greedy project has to reach its limits. */
const fillMs = 2000;

/** p99 of small requests beside a greedy project, as a ratio to the same alone, in the same process and run. */
export function greedyProject(name: string, goal: Goal): Measurement {
  return {
    name,
    run: async (bench) => {
      const { url, stop } = await bench.servers.sandbox(...toProfile(bench, profile));
      const greedy = await startBeside('greedy', url);
      const job = await oneJob();
      const path = (n: number): string => `/sync/projects/other-${n % projects}/jobs`;
      /** The 99th percentile of small requests to other projects. */
      const p99 = async (turn: number): Promise<number> => {
        const options = { from: turn * requests, isOurs: true };
        return percentile((await load(url, { ...job, connections: 4, requests, path }, options)).times, 99);
      };
      const rows = await compare(bench, name, {
        ...{ way: 'ratio', of: ' ms' },
        base: { name: 'p99 alone', play: (round) => p99(round * 2) },
        others: [
          {
            ...{ name: 'beside', what: `${name}: p99 ÷ alone`, goal },
            play: async (round) => {
              await greedy.begin();
              await wait(fillMs);
              const beside = await p99(round * 2 + 1);
              await greedy.end();
              return beside;
            },
          },
        ],
      });
      greedy.stop();
      await stop();
      return rows;
    },
  };
}
