/** Says what a sweep is going to run and how long that may take, and shows how far it is. */
import { dripMs } from '../../http/write-response.ts';
import { formatCount } from '../../lib/format.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { WallClock } from '../../lib/time.ts';
import type { FailureCase } from '../../scenarios/cases.ts';
import { isBad } from '../../sweep-report/verdicts.ts';
import { type Io, printTo } from '../frame/io.ts';
import { cut, toSeconds } from '../output/text.ts';
import { showLine } from '../trial/progress.ts';
import { hungAfterMs } from '../trial/time-limit.ts';
import type { Baseline } from './baseline.ts';
import { maxWaiting } from './run-cases.ts';
import type { SweepRequest } from './sweep.ts';

/** Starts to show the progress of a sweep of this command. */
export function createProgress(
  io: Pick<Io, 'stderr' | 'env'>,
  wall: WallClock,
  command: string,
): { readonly events: Pick<SweepRequest, 'began' | 'waits' | 'done'>; readonly hide: () => void } {
  const startedMs = wall.elapsed();
  const left = new Map<string, FailureCase>();
  const waiting = new Set<string>();
  let bad = 0;
  let toText = (): string => `field-sandbox: baseline of ${command}, ${toSeconds(wall.elapsed() - startedMs)}`;
  printTo(io.stderr)(`field-sandbox sweep: ${command}\n`);
  const line = showLine(io, wall, () => toText());
  return {
    hide: line.hide,
    events: {
      began: (baseline, cases, limitMs) => {
        const { jobs, durationMs, level, runs, operations, remark } = baseline;
        const facts = { jobs, durationMs, limitMs, runs: 1 };
        const uses = `${formatCount(runs[0]?.requests.length ?? 0, 'request')} to ${formatCount(operations.size, 'operation')}`;
        const where = formatCount(new Set(cases.map(({ operation }) => operation)).size, 'operation');
        const what = `${formatCount(cases.length, 'case')} of ${where}, ${jobs} at a time, bad ones twice`;
        for (const one of cases) left.set(one.id, one);
        toText = () => {
          const waits = waiting.size > 0 ? `, ${waiting.size} waiting for the client` : '';
          const rest = estimate([...left.values()], facts);
          return `field-sandbox: ${cases.length - left.size} of ${cases.length}, ${bad} bad${waits}, ${rest} left`;
        };
        line.print(
          `baseline: ${uses}, ${toSeconds(durationMs)}; records compared by ${levelTexts[level]}\n` +
            `${remark === undefined ? '' : `${cut(remark)}\n`}${describeTimes(what, cases, facts)}`,
        );
      },
      waits: (id, isWaiting) => {
        if (isWaiting) waiting.add(id);
        else waiting.delete(id);
      },
      done: ({ case: id, verdict, sameAs }) => {
        left.delete(id);
        if (isBad(verdict) && sameAs === undefined) bad += 1;
      },
    },
  };
}

const levelTexts = {
  exact: 'id and content',
  content: 'content, because ids differ from run to run',
  numbers: 'number, because their content differs from run to run',
  none: 'nothing, because even their numbers differ from run to run; only exit codes count',
} as const;

/** Facts on which times depend. */
interface TimeFacts extends Pick<Baseline, 'jobs' | 'durationMs'> {
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
function estimate(cases: readonly Case[], facts: TimeFacts): string {
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
