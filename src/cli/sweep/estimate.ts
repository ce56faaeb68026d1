/** Estimates how long cases take: each as long as the command, and as long as its failure makes a client wait. */
import { dripMs } from '../../http/write-response.ts';
import { formatCount } from '../../lib/format.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { FailureCase } from '../../scenarios/cases.ts';
import { hungAfterMs } from '../trial/time-limit.ts';
import type { Baseline } from './baseline.ts';
import { maxWaiting } from './run-cases.ts';

/** Facts on which times depend. */
export interface TimeFacts extends Pick<Baseline, 'jobs' | 'durationMs'> {
  /** Time limit of a run, in milliseconds. */
  readonly limitMs: number;
  /** Number of runs of each case. */
  readonly runs: number;
}

type Case = Pick<FailureCase, 'kind'>;

/** Bytes of a typical slow response. */
const slowBytes = 80;

/** Returns how long a run may wait on its failure, in milliseconds. Most take as long as the command without one. */
function waitOf({ kind }: Case, { durationMs, limitMs }: TimeFacts): number {
  if (kind.startsWith('connection-hang')) return Math.max(limitMs, hungAfterMs) - durationMs;
  if (kind.startsWith('connection-drip')) return slowBytes * dripMs;
  if (/^callback-(delay|order)/.test(kind)) return 2000;
  return /^(latency|limit|status-429|status-503)$/.test(kind) ? 1000 : 0;
}

/** Formats the time of cases that are still to run, such as `about 2 minutes`. */
export function estimate(cases: readonly Case[], facts: TimeFacts): string {
  const { jobs, durationMs, runs } = facts;
  const waits = cases.map((one) => waitOf(one, facts));
  const waitMs = waits.reduce((sum, ms) => sum + ms, 0);
  const workMs = cases.length * durationMs;
  // The longest wait may be that of the last case.
  const together = Math.max(workMs / jobs + Math.max(0, ...waits), (workMs + waitMs) / (jobs + maxWaiting));
  const seconds = ((jobs === 1 ? workMs + waitMs : together) * runs) / 1000;
  if (seconds > 55) return `about ${formatCount(Math.ceil(seconds / 60), 'minute')}`;
  return `about ${Math.max(1, Math.round(seconds / 5)) * 5} seconds`;
}

/** Maximum number of kinds to name in a line. */
const maxKinds = 6;

/** Formats the time of cases in all, and what a run of each kind takes, the shortest first. `what`: names the cases. */
export function describeTimes(what: string, cases: readonly Case[], facts: TimeFacts): string {
  const byWait = [...groupBy(cases, (one) => String(waitOf(one, facts)))];
  const sorted = byWait.map(([ms, group]) => [Number(ms), group] as const).toSorted(([one], [other]) => one - other);
  const rows = sorted.map(([waitMs, group], index) => {
    const kinds = [...new Set(group.map(({ kind }) => kind))];
    const more = kinds.length - maxKinds;
    const named = `${kinds.slice(0, maxKinds).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    const time = `${waitMs > 0 ? 'up to ' : ''}${toRoughSeconds(facts.durationMs + waitMs)}`;
    return `  ${group.length} × ${time}: ${index === 0 && more > 0 ? formatCount(kinds.length, 'kind') : named}`;
  });
  return `${[`${what}: ${estimate(cases, facts)}`, ...rows].join('\n')}\n`;
}

function toRoughSeconds(ms: number): string {
  return `${ms < 1000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`;
}
