/** Runs a fault while the load goes on, then compares what clients were answered with what is there. */
import { expect } from 'vitest';
import type { Receiver } from '../../harness/receiver.ts';
import type { Dice } from '../../model/dice.ts';
import { type Doubt, logCallbacks } from '../../rig/callback-log.ts';
import type { Counts } from '../../rig/ledger.ts';
import { type Load, startLoad } from './load.ts';
import type { Member, Rig } from './rig.ts';

/** The load, as a fault sees it. */
export interface DisturbedLoad {
  readonly counts: Counts;
  /** Runs something during which it is not known whether a callback was delivered. */
  doubt(run: () => Promise<unknown>): Promise<void>;
  /** Measures how long the projects of a replica are away: one request for each, through another replica. */
  takeOver(victim: Member, projects: readonly string[]): Promise<void>;
  /** Sends a request for each project to a replica that cannot reach its database. */
  insist(member: Member): Promise<void>;
}

interface Given {
  readonly rig: Rig;
  readonly receiver: Receiver;
  readonly dice: Dice;
  readonly seed: number;
  readonly name: string;
  disturb(load: DisturbedLoad): Promise<void>;
}

/** How long single requests took, in milliseconds. */
interface Times {
  readonly takeOvers: number[];
  readonly insisted: number[];
}

/** A replica is fenced when it has not renewed its lease for so long; that is checked twice a second. */
const fencingMs = 6000;

/** Prints what happened, and returns how requests ended. */
export async function runUnderLoad({ rig, receiver, dice, seed, name, disturb }: Given): Promise<Counts> {
  const callbacks = logCallbacks(receiver);
  const startedMs = performance.now();
  const load = await startLoad(rig, callbacks, name, seed);
  const doubts: Doubt[] = [];
  const times: Times = { takeOvers: [], insisted: [] };
  await disturb({
    counts: load.ledger.counts,
    doubt: (run) => noteDoubt(doubts, run),
    ...measure(rig, load, dice, times),
  });
  await load.stop();
  await rig.ready();
  const fenced = rig.fencedAt.filter((atMs) => atMs > startedMs);
  // A replica that the machine gives no time is fenced too.
  for (const atMs of fenced) doubts.push({ fromMs: atMs - fencingMs, toMs: atMs });
  const counted = await load.check(rig, doubts);
  const takeOvers = toText('taken over after', times.takeOvers);
  console.log(
    `${name}: ${counted}; ${fenced.length} joined again${takeOvers}${toText('cut off, answered after', times.insisted)}`,
  );
  for (const how of load.ledger.losses.slice(0, 3)) console.log(`${name}: ${how}`);
  expect(load.ledger.violations).toEqual([]);
  return load.ledger.counts;
}

async function noteDoubt(doubts: Doubt[], run: () => Promise<unknown>): Promise<void> {
  const fromMs = performance.now();
  await run();
  doubts.push({ fromMs, toMs: performance.now() });
}

function measure(
  rig: Rig,
  load: Load,
  dice: Dice,
  { takeOvers, insisted }: Times,
): Pick<DisturbedLoad, 'takeOver' | 'insist'> {
  return {
    takeOver: async (victim, projects) => {
      const others = rig.members.filter((member) => member !== victim && member.replica.isRunning);
      const ours = projects.filter((project) => load.projects.includes(project));
      const probes = ours.map((project) => load.probe(dice.of(others).replica.url, project));
      for (const { ms, isAnswered } of await Promise.all(probes)) if (isAnswered) takeOvers.push(ms);
    },
    insist: async ({ replica }) => {
      const probes = load.projects.map((project) => load.probe(replica.url, project));
      for (const { ms } of await Promise.all(probes)) insisted.push(ms);
    },
  };
}

function toText(what: string, times: readonly number[]): string {
  if (times.length === 0) return '';
  const sorted = times.toSorted((one, other) => one - other);
  const seconds = (ms = 0): string => (ms / 1000).toFixed(1);
  return `; ${what} ${seconds(sorted[sorted.length >> 1])} s, at most ${seconds(sorted.at(-1))} s (${times.length})`;
}
