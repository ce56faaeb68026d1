/** The time of a start: from the process to the line that says ready, and to the first response of the API. */
import { median } from '../rig/figures.ts';
import { load } from './load.ts';
import type { Bench, Measurement } from './measurement.ts';
import { oneLocation } from './payloads.ts';
import type { Goal, Row } from './row.ts';
import type { Server } from './servers.ts';

/** Floor and sandbox in turn. */
export function startTime(name: string, goal: Goal): Measurement {
  return { name, run: (bench) => measure(name, goal, bench) };
}

interface Start {
  readonly readyMs: number;
  readonly firstResponseMs: number;
}

async function measure(name: string, goal: Goal, { rounds, servers, say }: Bench): Promise<readonly Row[]> {
  const floor: Start[] = [];
  const sandbox: Start[] = [];
  // Starts are short and differ much, so each round has two.
  for (let round = 1; round <= rounds * 2; round += 1) {
    say(`${name}: round ${round} of ${rounds * 2}`);
    floor.push(await startOnce(await servers.floor(), false));
    sandbox.push(await startOnce(await servers.sandbox(), true));
  }
  const toRow = (what: string, key: keyof Start): Row => {
    const [base, own] = [floor, sandbox].map((starts) => starts.map((start) => start[key])) as [number[], number[]];
    const values = own.map((ms, round) => ms / (base[round] ?? Number.NaN));
    const from = `floor ${median(base).toFixed(0)} ms, sandbox ${median(own).toFixed(0)} ms`;
    return { what: `${name} to ${what} ÷ floor`, values, unit: 'ratio', goal, from };
  };
  return [toRow('ready', 'readyMs'), toRow('the first response', 'firstResponseMs')];
}

async function startOnce(server: Server, isOurs: boolean): Promise<Start> {
  const once = { ...(await oneLocation()), connections: 1, requests: 1 };
  const { times } = await load(server.url, once, { from: 0, isOurs });
  await server.stop();
  return { readyMs: server.startMs, firstResponseMs: server.startMs + (times[0] ?? Number.NaN) };
}
