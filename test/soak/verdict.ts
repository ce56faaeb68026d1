/** What a soak came to: each thing that must hold, whether it did, and the figures. */
import { operationIds } from '../../src/operations/index.ts';
import { type Check, checks, type Findings } from './findings.ts';
import { median, type Sample, type Watch } from './watch.ts';

export interface Verdict {
  readonly name: string;
  readonly passed: boolean;
  /** Figures, and what was found first. */
  readonly detail: string;
}

/** The program when nothing is going on and all projects are reset. */
export interface Rest {
  readonly liveBytes: number;
  readonly descriptors: number | undefined;
  /** Its figures, as Prometheus reads them. */
  readonly metrics: string;
}

/** What stands among its figures then. */
const atRest: readonly string[] = [
  'sandbox_worlds 0',
  'sandbox_event_followers 0',
  'sandbox_queue_depth{kind="instruction"} 0',
  'sandbox_queue_depth{kind="callback"} 0',
];

/** By how much memory may grow from the middle third to the last. */
const maxGrowth = 0.05;
/** In thirds that are shorter than this, chance has a larger part in it: of what is alive, and of when V8 collects. */
const shortThirdS = 60;
const maxGrowthWhenShort = { alive: 0.1, resident: 0.2 };
/** What may be left over beside that: tables of what was met, compiled code, pools. */
const maxLeftBytes = 4 * 1024 ** 2;
/** Kept by nobody for long: sockets that are just being closed. */
const maxDescriptors = 2;
/** How long anybody may have to wait for all others, in milliseconds: once, and in one second of twenty. */
const maxLagMs = 1000;
const maxDefaultLagMs = 250;

export function judgeFindings(findings: Findings): readonly Verdict[] {
  return (Object.keys(checks) as Check[]).map((check) => {
    const count = findings.count(check);
    const words = findings.first(check).map((each) => `\n      ${each}`);
    return { name: checks[check], passed: count === 0, detail: count === 0 ? '' : `${count} times${words.join('')}` };
  });
}

/** Refusals by the contract and the rules of the API, and what scenarios answer. */
const otherStatuses = '400 401 404 405 409 413 415 422 429 500 502 503 504 broken'.split(' ');

/** A soak that does not meet with everything says little. `others` are what is counted beside answers. */
export function judgeMet(met: ReadonlyMap<string, number>, others: Readonly<Record<string, number>>): Verdict {
  const succeeded = (operation: string): boolean => [200, 201, 202].some((status) => met.has(`${operation} ${status}`));
  const statuses = new Set([...met.keys()].map((key) => key.split(' ').at(-1)));
  const missing = [
    ...operationIds.filter((operation) => !succeeded(operation)),
    ...otherStatuses.filter((status) => !statuses.has(status)),
    ...Object.keys(others).filter((what) => others[what] === 0),
  ];
  const name = `all ${operationIds.length} operations were carried out, and all kinds of failures met`;
  return { name, passed: missing.length === 0, detail: missing.length > 0 ? `not these: ${missing.join(', ')}` : '' };
}

interface Weighed {
  readonly at: number;
  readonly bytes: number;
}

/** Compares the last third of the load with the one before; in the first one projects come to be. */
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
    flat('what is alive does not grow', live, maxGrowthWhenShort.alive),
    flat('resident memory does not grow', resident, maxGrowthWhenShort.resident),
  ];
}

/** From the first rest to the last, thousands of requests later. */
export function judgeRest(first: Rest, last: Rest): readonly Verdict[] {
  const left = last.liveBytes - first.liveBytes;
  const alive: Verdict = {
    name: 'nothing is left of projects that are reset',
    passed: left <= maxLeftBytes,
    detail: `${toMb(first.liveBytes)} alive at the first rest, ${toMb(last.liveBytes)} at the last`,
  };
  const missing = atRest.filter((line) => !last.metrics.split('\n').includes(line));
  const name = 'its own figures say that nothing is held';
  const empty: Verdict = {
    name,
    passed: missing.length === 0,
    detail: missing.map((line) => `no "${line}"`).join(', '),
  };
  const [before, after] = [first.descriptors, last.descriptors];
  if (before === undefined || after === undefined) return [alive, empty];
  const passed = after - before <= maxDescriptors;
  const detail = `${before} at the first rest, ${after} at the last`;
  return [alive, empty, { name: 'no descriptor is left open', passed, detail }];
}

export function judgeLag(samples: readonly Sample[]): Verdict {
  const max = samples.map(({ lagMost }) => lagMost).toSorted((a, b) => a - b);
  const [usual = 0, worst = 0] = [max[Math.floor(max.length * 0.95)], max.at(-1)];
  const middle = median(samples.map(({ lagMost }) => lagMost));
  return {
    name: 'the event loop is never held up for long',
    passed: worst <= maxLagMs && usual <= maxDefaultLagMs,
    detail: `at most ${worst.toFixed(0)} ms; of the longest of each second, the 95th of 100 ${usual.toFixed(0)} ms, the middle ${middle.toFixed(0)} ms`,
  };
}

export function judgeProcess(complaints: readonly string[], code: number | null): readonly Verdict[] {
  return [
    {
      name: 'the program complained of nothing',
      passed: complaints.length === 0,
      detail: complaints.slice(0, 5).join('\n'),
    },
    { name: 'it ended well when it was told to', passed: code === 0, detail: `exit code ${code}` },
  ];
}

export const toMb = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MB`;

const toPercent = (share: number): string => `${share >= 0 ? '+' : ''}${(share * 100).toFixed(1)} %`;
