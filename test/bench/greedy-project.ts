/** How long small requests of one project take while another project uses all that its limits allow. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { median, percentile } from '../rig/figures.ts';
import { load } from './load.ts';
import { type Bench, type Measurement, playRounds } from './measurement.ts';
import { oneJob } from './payloads.ts';
import type { Goal, Row } from './row.ts';

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
  return { name, run: (bench) => measure(name, goal, bench) };
}

async function measure(name: string, goal: Goal, bench: Bench): Promise<readonly Row[]> {
  const file = path.join(bench.folder, 'greedy.yaml');
  writeFileSync(file, profile);
  const { url, stop } = await bench.servers.sandbox('--profile', file);
  const greedy = fork('dist/bench/greedy.mjs', [url]);
  let sent = 0;
  try {
    await once(greedy, 'message');
    const results = await playRounds(bench, name, async (round) => {
      const alone = await p99(url, round * 2);
      await tell(greedy, 'begin');
      await wait(fillMs);
      const beside = await p99(url, round * 2 + 1);
      sent = await tell(greedy, 'end');
      return { alone, beside };
    });
    const middle = (key: 'alone' | 'beside'): string => `${median(results.map((one) => one[key])).toFixed(1)} ms`;
    const from = `p99 ${middle('alone')} alone, ${middle('beside')} beside ${sent.toLocaleString('en')} requests of the greedy project in the last round`;
    const values = results.map(({ alone, beside }) => beside / alone);
    return [{ what: `${name}: p99 ÷ alone`, values, unit: 'ratio', goal, from }];
  } finally {
    greedy.kill();
    await stop();
  }
}

/** Tells the process, and waits until it has taken it: how many requests it had sent. */
async function tell(greedy: ChildProcess, what: 'begin' | 'end'): Promise<number> {
  greedy.send(what);
  const [sent] = (await once(greedy, 'message')) as [number];
  return sent;
}

/** The 99th percentile of small requests to other projects, in milliseconds. */
async function p99(url: string, turn: number): Promise<number> {
  const job = await oneJob();
  const inTurn = { ...job, connections: 4, requests, path: (n: number) => `/sync/projects/other-${n % projects}/jobs` };
  const { times } = await load(url, inTurn, { from: turn * requests, isOurs: true });
  return percentile(times, 99);
}
