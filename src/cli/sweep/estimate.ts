/** Estimates how long cases take, by their kinds: most take as long as the command without a failure, others wait. */
import { dripMs } from '../../http/write-response.ts';
import type { FailureCase } from '../../scenarios/cases.ts';
import { hungAfterMs } from '../trial/time-limit.ts';
import type { Baseline } from './baseline.ts';
import { maxWaiting } from './run-cases.ts';

export interface CostFacts extends Pick<Baseline, 'jobs' | 'durationMs'> {
  /** Time limit of a run, in milliseconds. */
  readonly limitMs: number;
}

/** Bytes of a typical slow response. */
const slowBytes = 80;

/** Returns how long a case may wait on its failure, in milliseconds. */
function waitOf({ kind }: Pick<FailureCase, 'kind'>, { durationMs, limitMs }: CostFacts): number {
  if (kind.startsWith('connection-hang')) return Math.max(limitMs, hungAfterMs) - durationMs;
  if (kind.startsWith('connection-drip')) return slowBytes * dripMs;
  if (/^callback-(delay|order)/.test(kind)) return 2000;
  return /^(latency|limit|status-429|status-503)$/.test(kind) ? 1000 : 0;
}

/** Estimates the time of cases that are still to run, in milliseconds. */
export function estimateMs(cases: readonly FailureCase[], facts: CostFacts): number {
  const { jobs, durationMs } = facts;
  const waits = cases.map((one) => waitOf(one, facts));
  const waitMs = waits.reduce((sum, ms) => sum + ms, 0);
  const workMs = cases.length * durationMs;
  if (jobs === 1) return workMs + waitMs;
  return Math.max(workMs / jobs, (workMs + waitMs) / (jobs + maxWaiting), ...waits.map((ms) => ms + durationMs));
}

/** The cases that take the same time. */
export interface Cost {
  readonly ms: number;
  readonly count: number;
  readonly kinds: readonly string[];
}

/** Groups cases by their time, the shortest first. */
export function toCosts(cases: readonly FailureCase[], facts: CostFacts): readonly Cost[] {
  const byMs = new Map<number, FailureCase[]>();
  for (const one of cases) {
    const ms = facts.durationMs + waitOf(one, facts);
    byMs.set(ms, [...(byMs.get(ms) ?? []), one]);
  }
  return [...byMs]
    .toSorted(([one], [other]) => one - other)
    .map(([ms, of]) => ({ ms, count: of.length, kinds: [...new Set(of.map(({ kind }) => kind))] }));
}
