/** How much memory the sandbox's process has (its resident set), when nothing is asked of it. */
import { setTimeout as wait } from 'node:timers/promises';
import { listJobs } from '../rig/list-jobs.ts';
import { memoryOf } from '../rig/watched.ts';
import type { Measurement } from './measurement.ts';
import { fillJobs, project } from './payloads.ts';
import type { Goal } from './row.ts';

const heldJobs = 20_000;
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
  return {
    name,
    run: async ({ rounds, servers, say }) => {
      const [idle, held, read]: [number[], number[], number[]] = [[], [], []];
      const count = Math.min(rounds, maxRounds);
      for (let round = 1; round <= count; round += 1) {
        say(`${name}: round ${round} of ${count}`);
        const { url, pid, stop } = await servers.sandbox();
        idle.push(await settledMb(pid));
        await fillJobs(url, heldJobs);
        held.push(await settledMb(pid));
        const { size } = await listJobs(url, project);
        if (size !== heldJobs) throw new Error(`${size} jobs are held, not ${heldJobs}`);
        read.push(await settledMb(pid));
        await stop();
      }
      const ofHeld = { unit: 'MB', goal: goals.held } as const;
      return [
        { what: `${name}, idle after the start`, values: idle, unit: 'MB', goal: goals.idle, from: 'VmRSS' },
        { what: `${name}, 20,000 jobs held`, values: held, ...ofHeld, from: 'imported, not read yet' },
        { what: `${name}, 20,000 jobs held, each read`, values: read, ...ofHeld, from: 'listed page by page' },
      ];
    },
  };
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
