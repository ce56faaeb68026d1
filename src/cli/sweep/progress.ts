/** Says what a sweep is going to run and how long that may take, and shows how far it is. */
import { dripMs } from '../../http/write-response.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { WallClock } from '../../lib/time.ts';
import type { FailureCase } from '../../scenarios/cases.ts';
import { isBad } from '../../sweep-report/verdicts.ts';
import { type Io, printTo } from '../frame/io.ts';
import { count, cut } from '../output/text.ts';
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
): { readonly events: Pick<SweepRequest, 'began' | 'done'>; readonly hide: () => void } {
  const printError = printTo(io.stderr);
  const startedMs = wall.elapsed();
  const left = new Map<string, FailureCase>();
  let bad = 0;
  let toText = (): string => `field-sandbox: baseline of ${command}, ${toDuration(wall.elapsed() - startedMs)}`;
  printError(`field-sandbox sweep: ${command}\n`);
  let hide = showLine(io, wall, () => toText());
  return {
    hide: () => hide(),
    events: {
      began: (baseline, cases, limitMs) => {
        hide();
        const { jobs, durationMs, level, runs, operations, remark } = baseline;
        const facts = { jobs, durationMs, limitMs };
        const uses = `${count(runs[0]?.requests.length ?? 0, 'request')} to ${count(operations.size, 'operation')}`;
        printError(`baseline: ${uses}, ${toDuration(durationMs)}; records compared by ${levelTexts[level]}\n`);
        if (remark !== undefined) printError(`${cut(remark)}\n`);
        printError(describeTimes(cases, facts));
        for (const one of cases) left.set(one.id, one);
        toText = () => {
          const rest = toDuration(estimateMs([...left.values()], facts));
          return `field-sandbox: ${cases.length - left.size} of ${count(cases.length, 'case')}, ${bad} bad, about ${rest} left`;
        };
        hide = showLine(io, wall, () => toText());
      },
      done: ({ case: id, verdict, sameAs }) => {
        left.delete(id);
        if (isBad(verdict) && sameAs === undefined) bad += 1;
      },
    },
  };
}

/** Facts on which times depend. `limitMs`: time limit of a run, in milliseconds. */
interface TimeFacts extends Pick<Baseline, 'jobs' | 'durationMs'> {
  readonly limitMs: number;
}

/** Bytes of a typical slow response. */
const slowBytes = 80;

/** Returns how long a case may wait on its failure, in milliseconds. Most take as long as the command without one. */
function waitOf({ kind }: FailureCase, { durationMs, limitMs }: TimeFacts): number {
  if (kind.startsWith('connection-hang')) return Math.max(limitMs, hungAfterMs) - durationMs;
  if (kind.startsWith('connection-drip')) return slowBytes * dripMs;
  if (/^callback-(delay|order)/.test(kind)) return 2000;
  return /^(latency|limit|status-429|status-503)$/.test(kind) ? 1000 : 0;
}

/** Estimates the time of cases that are still to run, in milliseconds. */
function estimateMs(cases: readonly FailureCase[], facts: TimeFacts): number {
  const { jobs, durationMs } = facts;
  const waits = cases.map((one) => waitOf(one, facts));
  const waitMs = waits.reduce((sum, ms) => sum + ms, 0);
  const workMs = cases.length * durationMs;
  if (jobs === 1) return workMs + waitMs;
  return Math.max(workMs / jobs, (workMs + waitMs) / (jobs + maxWaiting), ...waits.map((ms) => ms + durationMs));
}

/** Maximum number of kinds to name in a line. */
const maxKinds = 6;

/** Formats the number of cases, their time in all, and what each kind takes, the shortest first. */
function describeTimes(cases: readonly FailureCase[], facts: TimeFacts): string {
  const byWait = [...groupBy(cases, (one) => String(waitOf(one, facts)))];
  const sorted = byWait.map(([ms, group]) => [Number(ms), group] as const).toSorted(([one], [other]) => one - other);
  const rows = sorted.map(([waitMs, group], index) => {
    const kinds = [...new Set(group.map(({ kind }) => kind))];
    const more = kinds.length - maxKinds;
    const named = `${kinds.slice(0, maxKinds).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    const time = `${waitMs > 0 ? 'up to ' : ''}${toDuration(facts.durationMs + waitMs)}`;
    return `  ${group.length} × ${time}: ${index === 0 && more > 0 ? count(kinds.length, 'kind') : named}`;
  });
  const operations = new Set(cases.map(({ operation }) => operation)).size;
  const total = toDuration(estimateMs(cases, facts));
  const head = `${count(cases.length, 'case')} of ${count(operations, 'operation')}, ${facts.jobs} at a time: about ${total}`;
  return `${[head, ...rows].join('\n')}\n`;
}

const levelTexts = {
  exact: 'id and content',
  content: 'content, because ids differ from run to run',
  numbers: 'number, because their content differs from run to run',
  none: 'nothing, because even their numbers differ from run to run; only exit codes count',
} as const;

function toDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')} min`;
}
