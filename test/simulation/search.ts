/** Searches for a history that breaks a promise, and reports the smallest one. */
import fc from 'fast-check';
import type { SandboxFiles } from '../../src/config/sandbox-files.ts';
import { runHistory } from './history.ts';
import { type Plan, plans } from './plan.ts';

export interface Found {
  /** Number of histories that were run. */
  readonly histories: number;
  readonly steps: number;
  /** What to do to see it again, what is wrong, and the history; undefined if nothing was found. */
  readonly report: string | undefined;
}

export interface Limits {
  readonly seed: number;
  /** Number of histories, so that a busy machine runs the same ones. */
  readonly histories?: number;
  /** Time after which no other history starts. */
  readonly ms?: number;
}

class Broken extends Error {}

/** Runs histories until one breaks a promise or a limit is reached. */
export async function search(files: SandboxFiles, { seed, histories = 1e9, ms }: Limits): Promise<Found> {
  let count = 0;
  let steps = 0;
  const run = async (plan: Plan): Promise<void> => {
    const outcome = await runHistory(plan, files);
    count += 1;
    steps += outcome.steps;
    const { violations, history } = outcome;
    if (violations.length > 0) throw new Broken([...violations, '', ...history].join('\n'));
  };
  const details = await fc.check(fc.asyncProperty(plans, run), {
    seed,
    numRuns: histories,
    ...(ms !== undefined && { interruptAfterTimeLimit: ms, markInterruptAsFailure: false }),
  });
  const { errorInstance, counterexample, counterexamplePath } = details;
  if (!details.failed || !counterexample) return { histories: count, steps, report: undefined };
  const again = `seed ${details.seed}, path ${counterexamplePath}, after ${count} histories`;
  const [plan] = counterexample;
  return { histories: count, steps, report: `${again}\n${JSON.stringify(plan)}\n${(errorInstance as Error).message}` };
}
