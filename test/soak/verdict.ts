/** The result of a soak test: each check, whether it passed, and its figures. */
import { operationIds } from '../../src/operations/index.ts';
import { median, percentile } from '../rig/figures.ts';
import type { Tally } from './load.ts';
import { type Sample, toMb, type Watch } from './watch.ts';

export interface Verdict {
  readonly name: string;
  readonly passed: boolean;
  /** Figures, and what was found first. */
  readonly detail: string;
}

/** The state of the program without load, after a reset of all projects. */
export interface Rest {
  readonly liveBytes: number;
  readonly descriptors: number | undefined;
  readonly threads: number | undefined;
  /** Its metrics in the Prometheus format. */
  readonly metrics: string;
}

/** The metrics of a program at rest. */
const atRest: readonly string[] = [
  'sandbox_worlds 0',
  'sandbox_event_followers 0',
  'sandbox_queue_depth{kind="instruction"} 0',
  'sandbox_queue_depth{kind="callback"} 0',
];

/** The maximum growth of memory from the middle third to the last. */
const maxGrowth = 0.05;
/** In shorter thirds, chance has a larger part in what is alive and when V8 collects. */
const shortThirdS = 60;
const maxGrowthWhenShort = { alive: 0.1, resident: 0.2 };
/** The maximum of memory that may be left: tables of observed failures, which have drawn statuses, compiled code, pools. */
const maxLeftBytes = 8 * 1024 ** 2;
/** The maximum number of sockets that are just being closed, and of threads that V8 has added. */
const maxLeftOpen = 2;
/** The maximum hold of the event loop in milliseconds: ever, and in 19 of 20 seconds. */
const maxLagMs = 1000;
const maxP95LagMs = 250;
/** The maximum of 99 of 100 requests, also on a busy machine. */
const maxP99Ms = 10_000;
/** How much more processor time a request may take in the last third. */
const maxDearer = 1.5;

/** Values of the second third of a load, and of the last. */
function lastThirds<Seen extends { readonly at: number }, Value>(
  all: readonly Seen[],
  loadS: number,
  read: (seen: Seen) => Value,
): [middle: Value[], last: Value[]] {
  const inThird = (number: number): Value[] => all.filter(({ at }) => Math.ceil((at / loadS) * 3) === number).map(read);
  return [inThird(2), inThird(3)];
}

/** Checks what clients were answered, and whether the program has counted the same. */
export function judgeTally(
  { violations, sent, answered, lives, callbacks }: Tally,
  { metrics }: Rest,
): readonly Verdict[] {
  const series = [...metrics.matchAll(/^sandbox_requests_total\{operation="(\w+)",status="(\d+)"\} (\d+)$/gm)];
  const counted = series.filter(([, operation]) => operationIds.includes(operation as never));
  const total = counted.reduce((sum, [, , , count]) => sum + Number(count), 0);
  const succeeded = counted.filter(([, , status]) => ['200', '201', '202'].includes(status ?? ''));
  const missing = operationIds.filter((id) => !succeeded.some(([, operation]) => operation === id));
  const isPlayed = missing.length === 0 && lives.compared > 0 && lives.cut > 0 && callbacks > 0;
  return [
    {
      name: 'what was answered is there, once, and nothing unexpected was answered',
      passed: violations.length === 0,
      detail: violations.map((violation) => `\n      ${violation}`).join(''),
    },
    {
      name: 'the program has counted every request',
      passed: total >= answered && total <= sent,
      detail: `${sent} sent, ${answered} answered, ${total} counted`,
    },
    {
      name: 'all operations succeeded, and projects ended in both ways',
      passed: isPlayed,
      detail: `${callbacks} callbacks; ${lives.compared} projects were compared, ${lives.cut} reset in the middle; missing: ${missing.join() || 'none'}`,
    },
  ];
}

/** Compares the last third of the load with the middle one; projects are created in the first one. */
export function judgeMemory({ samples, live }: Watch, loadS: number): readonly Verdict[] {
  const isShort = loadS / 3 < shortThirdS;
  const flat = (name: string, [middle, last]: [number[], number[]], maxWhenShort: number): Verdict => {
    const growth = median(last) / median(middle) - 1;
    const max = isShort ? maxWhenShort : maxGrowth;
    const figures = `${toMb(median(middle))} in the middle third, ${toMb(median(last))} in the last`;
    return { name, passed: growth <= max, detail: `${figures}: ${toPercent(growth)}, at most ${toPercent(max)}` };
  };
  const alive = lastThirds(live, loadS, ({ bytes }) => bytes);
  const resident = lastThirds(samples, loadS, ({ rss }) => rss);
  return [
    flat('the live heap does not grow', alive, maxGrowthWhenShort.alive),
    flat('resident memory does not grow', resident, maxGrowthWhenShort.resident),
  ];
}

/** From the first rest to the last, thousands of requests later. */
export function judgeRest(first: Rest, last: Rest): readonly Verdict[] {
  const missing = atRest.filter((line) => !last.metrics.split('\n').includes(line));
  const left = (what: 'descriptors' | 'threads'): readonly Verdict[] => {
    const [before, after] = [first[what], last[what]];
    if (before === undefined || after === undefined) return [];
    const detail = `${before} at the first rest, ${after} at the last`;
    return [{ name: `no ${what} are left`, passed: after - before <= maxLeftOpen, detail }];
  };
  return [
    {
      name: 'nothing is left of projects after their reset',
      passed: last.liveBytes - first.liveBytes <= maxLeftBytes,
      detail: `${toMb(first.liveBytes)} alive at the first rest, ${toMb(last.liveBytes)} at the last`,
    },
    {
      name: 'its metrics report that nothing is held',
      passed: missing.length === 0,
      detail: missing.map((line) => `no "${line}"`).join(', '),
    },
    ...left('descriptors'),
    ...left('threads'),
  ];
}

/** Checks that no project waits for the others, and none longer than before. */
export function judgeTimes(
  samples: readonly Sample[],
  durations: readonly number[],
  loadS: number,
): readonly Verdict[] {
  const lags = samples.map(({ lagMost }) => lagMost);
  const [p95, worst] = [percentile(lags, 95), Math.max(...lags)];
  const p99 = percentile(durations, 99);
  const toCost = (third: readonly Sample[]): number => {
    const [first, last] = [third[0], third.at(-1)];
    if (!first || !last) return Number.NaN;
    return (last.processorMs - first.processorMs) / (last.sent - first.sent);
  };
  const [middle, last] = lastThirds(samples, loadS, (sample) => sample).map(toCost) as [number, number];
  return [
    {
      name: 'the event loop is never held for long',
      passed: worst <= maxLagMs && p95 <= maxP95LagMs,
      detail: `maximum ${toMs(worst)}; of the maximum of each second, 95th percentile ${toMs(p95)}, median ${toMs(median(lags))}`,
    },
    {
      name: 'no project waits for the greedy one',
      passed: p99 <= maxP99Ms,
      detail: `99th percentile of ${durations.length} requests ${toMs(p99)}`,
    },
    {
      name: 'requests do not take more processor time than before',
      passed: last <= middle * maxDearer,
      detail: `${toMs(middle)} each in the middle third, ${toMs(last)} in the last`,
    },
  ];
}

export function judgeProcess(err: string, code: number | null): readonly Verdict[] {
  // Node itself reports its inspector.
  const isComplaint = (line: string): boolean => !/^(Debugger |For help, see: https:\/\/nodejs|\s*$)/.test(line);
  const complaints = err.split('\n').filter(isComplaint);
  return [
    {
      name: 'the program wrote nothing to standard error',
      passed: complaints.length === 0,
      detail: complaints.slice(0, 5).join('\n'),
    },
    { name: 'the program exits with 0 after SIGTERM', passed: code === 0, detail: `exit code ${code}` },
  ];
}

const toMs = (ms: number): string => `${ms.toFixed(1)} ms`;
const toPercent = (share: number): string => `${share >= 0 ? '+' : ''}${(share * 100).toFixed(1)} %`;
