/**
 * Runs steps of several processes in the order of a simulated clock. Every answer of a database, every message and every
 * timer is a step, and how long it takes is drawn from a seed, so that the same seed gives the same order.
 */
import type { WallClock } from '../../../src/lib/time.ts';

/** A simulated process: what happens to it decides which of its steps run, and when. */
export interface Process {
  readonly name: string;
  isDead: boolean;
  /** Until then, its steps wait. */
  pausedUntil: number;
}

export interface Simulator {
  /** Milliseconds since the start of the simulation. */
  now(): number;
  /** Returns a number from 0 up to 1. */
  random(): number;
  /** Draws whether something happens. */
  happens(probability: number): boolean;
  /** Number of steps so far. */
  steps(): number;
  /** Runs a step later. Steps of a dead process never run; those of a paused one run when it resumes. */
  after(ms: number, step: () => void, process?: Process): () => void;
  /** Draws how long a message takes, in milliseconds. */
  latency(): number;
  note(who: string, text: string): void;
  readonly history: readonly string[];
  /** Runs steps until `isDone`. Returns false if that is not so at `untilMs`. */
  run(untilMs: number, isDone: () => boolean): Promise<boolean>;
  /** Calls the listener before each step. */
  beforeStep(listener: () => void): void;
}

interface Step {
  at: number;
  readonly order: number;
  readonly run: () => void;
  readonly process: Process | undefined;
}

export function createSimulator(seed: number): Simulator {
  const random = createRandom(seed);
  const pending = new Set<Step>();
  const history: string[] = [];
  let listener = (): void => undefined;
  let nowMs = 0;
  let order = 0;
  let count = 0;

  function takeFirst(): Step | undefined {
    let first: Step | undefined;
    for (const step of pending) {
      if (!first || step.at < first.at || (step.at === first.at && step.order < first.order)) first = step;
    }
    if (first) pending.delete(first);
    return first;
  }

  /** Runs a step, and all that follows from it without another step. */
  async function take(step: Step): Promise<void> {
    const { process, run } = step;
    nowMs = Math.max(nowMs, step.at);
    if (process?.isDead) return;
    if (process && process.pausedUntil > nowMs) {
      pending.add({ ...step, at: process.pausedUntil });
      return;
    }
    count += 1;
    listener();
    if (process?.isDead) return;
    run();
    await settle();
  }

  return {
    now: () => nowMs,
    random,
    happens: (probability) => random() < probability,
    steps: () => count,
    after: (ms, run, process) => {
      order += 1;
      const step = { at: nowMs + Math.max(0, ms), order, run, process };
      pending.add(step);
      return () => pending.delete(step);
    },
    // Most are quick, and some overtake many others.
    latency: () => {
      const kind = random();
      return random() * (kind < 0.7 ? 2 : kind < 0.97 ? 20 : 300);
    },
    note: (who, text) => void history.push(`${(nowMs / 1000).toFixed(4).padStart(9)}  ${who.padEnd(10)} ${text}`),
    history,
    run: async (untilMs, isDone) => {
      await settle();
      for (;;) {
        if (isDone()) return true;
        const step = takeFirst();
        if (!step || step.at > untilMs) return false;
        await take(step);
      }
    },
    beforeStep: (given) => {
      listener = given;
    },
  };
}

/** Lets everything happen that waits for no step. A turn of the event loop may begin what takes another one. */
async function settle(): Promise<void> {
  for (let turn = 1; turn <= 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The system time at the start of each simulation. */
const startMs = Date.UTC(2026, 0, 1);

/** Creates the clock that a process sees. */
export function createProcessClock({ now, after }: Simulator, process: Process): WallClock {
  const beganAt = now();
  return {
    now: () => startMs + Math.floor(now()),
    elapsed: () => now() - beganAt,
    after: (ms, run) => after(ms, run, process),
  };
}

/** Mulberry32: small, and good enough to draw orders. */
function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
