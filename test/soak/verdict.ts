/** The result of a soak test: each check, whether it passed, and its figures. */
import { operationIds } from '../../src/operations/index.ts';
import { median } from '../rig/figures.ts';
import { type Check, checks, type Findings } from './findings.ts';
import type { Sample, Watch } from './watch.ts';

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
/** The maximum of memory that may be left: tables of observed failures, compiled code, pools. */
const maxLeftBytes = 4 * 1024 ** 2;
/** The maximum number of sockets that are just being closed. */
const maxDescriptors = 2;
/** The maximum hold of the event loop in milliseconds: ever, and in 19 of 20 seconds. */
const maxLagMs = 1000;
const maxP95LagMs = 250;

export function judgeFindings(findings: Findings): readonly Verdict[] {
  return (Object.keys(checks) as Check[]).map((check) => {
    const count = findings.count(check);
    const words = findings.first(check).map((each) => `\n      ${each}`);
    return { name: checks[check], passed: count === 0, detail: count === 0 ? '' : `${count} times${words.join('')}` };
  });
}

/** Statuses of rejected requests, and of scenarios. */
const otherStatuses = '400 401 404 405 409 413 415 422 429 500 502 503 504 broken'.split(' ');

/** Checks that the load contained all operations and failures. `others` are counts beside responses. */
export function judgeMet(met: ReadonlyMap<string, number>, others: Readonly<Record<string, number>>): Verdict {
  const succeeded = (operation: string): boolean => [200, 201, 202].some((status) => met.has(`${operation} ${status}`));
  const statuses = new Set([...met.keys()].map((key) => key.split(' ').at(-1)));
  const missing = [
    ...operationIds.filter((operation) => !succeeded(operation)),
    ...otherStatuses.filter((status) => !statuses.has(status)),
    ...Object.keys(others).filter((what) => others[what] === 0),
  ];
  const name = `all ${operationIds.length} operations and all kinds of failures occurred`;
  return { name, passed: missing.length === 0, detail: missing.length > 0 ? `missing: ${missing.join(', ')}` : '' };
}

interface Weighed {
  readonly at: number;
  readonly bytes: number;
}

/** Compares the last third of the load with the middle one; projects are created in the first one. */
export function judgeMemory({ samples, live }: Pick<Watch, 'samples' | 'live'>, loadS: number): readonly Verdict[] {
  const isShort = loadS / 3 < shortThirdS;
  const flat = (name: string, values: readonly Weighed[], maxWhenShort: number): Verdict => {
    const inThird = (number: number): number =>
      median(values.filter(({ at }) => Math.ceil((at / loadS) * 3) === number).map(({ bytes }) => bytes));
    const [middle, last] = [inThird(2), inThird(3)];
    const growth = last / middle - 1;
    const max = isShort ? maxWhenShort : maxGrowth;
    const figures = `${toMb(middle)} in the middle third, ${toMb(last)} in the last`;
    const detail = `${figures}: ${toPercent(growth)}, at most ${toPercent(max)}`;
    return { name, passed: growth <= max, detail };
  };
  const resident = samples.map(({ at, rss }) => ({ at, bytes: rss }));
  return [
    flat('the live heap does not grow', live, maxGrowthWhenShort.alive),
    flat('resident memory does not grow', resident, maxGrowthWhenShort.resident),
  ];
}

/** From the first rest to the last, thousands of requests later. */
export function judgeRest(first: Rest, last: Rest): readonly Verdict[] {
  const left = last.liveBytes - first.liveBytes;
  const alive: Verdict = {
    name: 'nothing is left of projects after their reset',
    passed: left <= maxLeftBytes,
    detail: `${toMb(first.liveBytes)} alive at the first rest, ${toMb(last.liveBytes)} at the last`,
  };
  const missing = atRest.filter((line) => !last.metrics.split('\n').includes(line));
  const name = 'its metrics report that nothing is held';
  const empty: Verdict = {
    name,
    passed: missing.length === 0,
    detail: missing.map((line) => `no "${line}"`).join(', '),
  };
  const [before, after] = [first.descriptors, last.descriptors];
  if (before === undefined || after === undefined) return [alive, empty];
  const passed = after - before <= maxDescriptors;
  const detail = `${before} at the first rest, ${after} at the last`;
  return [alive, empty, { name: 'no file descriptor is left open', passed, detail }];
}

export function judgeLag(samples: readonly Sample[]): Verdict {
  const max = samples.map(({ lagMost }) => lagMost).toSorted((a, b) => a - b);
  const [p95 = 0, worst = 0] = [max[Math.floor(max.length * 0.95)], max.at(-1)];
  const middle = median(samples.map(({ lagMost }) => lagMost));
  return {
    name: 'the event loop is never held for long',
    passed: worst <= maxLagMs && p95 <= maxP95LagMs,
    detail: `maximum ${worst.toFixed(0)} ms; of the maximum of each second, 95th percentile ${p95.toFixed(0)} ms, median ${middle.toFixed(0)} ms`,
  };
}

export function judgeProcess(complaints: readonly string[], code: number | null): readonly Verdict[] {
  return [
    {
      name: 'the program wrote nothing to standard error',
      passed: complaints.length === 0,
      detail: complaints.slice(0, 5).join('\n'),
    },
    { name: 'the program exits with 0 after SIGTERM', passed: code === 0, detail: `exit code ${code}` },
  ];
}

export const toMb = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MB`;

const toPercent = (share: number): string => `${share >= 0 ? '+' : ''}${(share * 100).toFixed(1)} %`;
