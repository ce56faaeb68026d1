/** How much memory the sandbox's process has (its resident set), when nothing is asked of it. */
import { setTimeout as wait } from 'node:timers/promises';
import { listJobs } from '../rig/list-jobs.ts';
import { memoryOf } from '../rig/watched.ts';
import { load } from './load.ts';
import type { Bench, Measurement } from './measurement.ts';
import { jobsBody, project } from './payloads.ts';
import type { Goal, Row } from './row.ts';

const batches = 20;
const batchSize = 1000;
const everyMs = 100;
/**
 * It has stopped falling when it has not fallen by this much for so long: where nothing is asked, V8 begins to give memory
 * back after eight seconds. Beyond `maxMs` nobody waits.
 */
const fallMb = 0.5;
const quietMs = 12_000;
const maxMs = 40_000;
/** It hardly differs from one process to the next. */
const maxRounds = 3;

/** After the start, with 20,000 jobs that were imported, and once each of them was looked at. */
export function memory(name: string, goals: { readonly idle: Goal; readonly held: Goal }): Measurement {
  return { name, run: (bench) => measure(name, goals, bench) };
}

async function measure(
  name: string,
  goals: { readonly idle: Goal; readonly held: Goal },
  { rounds, servers, say }: Bench,
): Promise<readonly Row[]> {
  const idle: number[] = [];
  const held: number[] = [];
  const read: number[] = [];
  const highest: number[] = [];
  const count = Math.min(rounds, maxRounds);
  for (let round = 1; round <= count; round += 1) {
    say(`${name}: round ${round} of ${count}`);
    const { url, pid, stop } = await servers.sandbox();
    idle.push(await settledMb(pid));
    await fill(url);
    held.push(await settledMb(pid));
    await readAll(url);
    highest.push(memoryOf(pid));
    read.push(await settledMb(pid));
    await stop();
  }
  const atOnce = `${Math.max(...highest).toFixed(0)} MB right after the last answer`;
  return [
    {
      what: `${name}, idle after the start`,
      values: idle,
      unit: 'MB',
      goal: goals.idle,
      from: 'VmRSS, no request yet',
    },
    { what: `${name}, 20,000 jobs held`, values: held, unit: 'MB', goal: goals.held, from: 'imported, not read yet' },
    { what: `${name}, 20,000 jobs held, each read`, values: read, unit: 'MB', goal: goals.held, from: atOnce },
  ];
}

async function fill(url: string): Promise<void> {
  for (let batch = 0; batch < batches; batch += 1) {
    const body = await jobsBody(batchSize, batch * batchSize);
    const path = (): string => `/sync/projects/${project}/jobs/batch`;
    await load(url, { name: '', connections: 1, requests: 1, path, body: () => body }, { from: 0, isOurs: true });
  }
}

async function readAll(url: string): Promise<void> {
  const { size: read } = await listJobs(url, project);
  if (read !== batches * batchSize) throw new Error(`${read} jobs are held, not ${batches * batchSize}`);
}

/** The lowest that it comes to: asked every 100 ms, until it has not fallen for twelve seconds. */
async function settledMb(pid: number): Promise<number> {
  const began = performance.now();
  let lowest = Number.POSITIVE_INFINITY;
  let fellAt = began;
  while (performance.now() - fellAt < quietMs && performance.now() - began < maxMs) {
    const now = memoryOf(pid);
    if (now < lowest - fallMb) {
      lowest = now;
      fellAt = performance.now();
    }
    await wait(everyMs);
  }
  return lowest;
}
