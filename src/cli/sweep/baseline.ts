/** Runs the command without any failure, and judges by that how it survives one. */
import type { JournalEntry } from '../../journal/entry.ts';
import { toEntryIds } from '../../records/records.ts';
import type { FailureCase, OperationUse } from '../../scenarios/cases.ts';
import { toLimitMs } from '../trial/time-limit.ts';
import type { TrialRequest, TrialResult } from '../trial/trial.ts';
import { Comparer, type Level } from './compare.ts';
import { describeFailure } from './judge/describe.ts';
import { findErrorLine } from './judge/error-line.ts';
import {
  type Finding,
  type JudgedFailure,
  type JudgedRun,
  type Judgement,
  judge,
  maxRequests,
  toJudged,
} from './judge/judge.ts';

/** What the command does to an operation. */
export interface SweptOperation extends OperationUse {
  /** Whether the number of requests differs from run to run. */
  readonly varies: boolean;
  /** Number of records that its requests wrote in the first run, without locations: newer ones make up for them. */
  readonly records: number;
}

/** Requests beyond those of a storm, after which the run ends: enough to be beyond doubt, and few for a client that waits. */
const shownStorm = 20;

/** Runs without a failure, and how many copies of the command may run at a time. */
export class Baseline {
  readonly runs: readonly TrialResult[];
  readonly jobs: number;
  /** Says why copies of the command disturb each other. */
  readonly remark: string | undefined;
  /** Duration of the slowest run, in milliseconds. */
  readonly durationMs: number;
  readonly operations: ReadonlyMap<string, SweptOperation>;
  readonly outputs: readonly string[];
  readonly #comparer: Comparer;

  constructor(runs: readonly [TrialResult, ...TrialResult[]], jobs: number, remark?: string) {
    this.runs = runs;
    this.jobs = jobs;
    this.remark = remark;
    this.durationMs = Math.max(...runs.map((run) => run.durationMs));
    this.operations = toOperations(runs);
    this.outputs = runs.map(({ output }) => output);
    this.#comparer = new Comparer(runs);
  }

  /** How exactly records are compared. */
  get level(): Level {
    return this.#comparer.level;
  }

  /** Returns the limits of a run under a failure. `limitMs`: by default, it depends on the duration of the baseline. */
  limits(limitMs: number = toLimitMs(this.durationMs)): Required<Pick<TrialRequest, 'limitMs' | 'maxRequests'>> {
    return { limitMs, maxRequests: (operation) => maxRequests(this.#requestsOf(operation)) + shownStorm };
  }

  #requestsOf(operation: string | undefined): number {
    return this.operations.get(operation ?? '')?.requests ?? 0;
  }

  /** Judges a run under a case. */
  judge(one: FailureCase, result: TrialResult): Judgement {
    const { operation, expects, kind } = one;
    const failure = { ...toJudged(result.scenarios, operation), expects, kinds: [kind] };
    const finding = this.#judge(failure, result, { differences: this.#comparer.compare(result), fired: result.fired });
    return { ...finding, detail: `${describeFailure(one)}: ${finding.what}` };
  }

  /** Judges a run under scenarios, whose failures may hit any operation. */
  judgeScenarios(result: TrialResult): Judgement {
    // Of a storm, the operation that was called too often; otherwise any.
    const [operation] =
      [...countOperations(result)].find(([id, sent]) => sent > maxRequests(this.#requestsOf(id))) ?? [];
    const failure = toJudged(result.scenarios, operation);
    const fired = result.requests.filter((one) => one.fired.some(({ scenario }) => failure.names.has(scenario)));
    const differences = this.#comparer.compare(result);
    // Entries that a scenario itself refuses are missing even if the command handles that: its exit code decides.
    const refuses = failure.reasons.length > 0;
    const judged = refuses ? { ...differences, missing: [], differing: [], missingChanges: [] } : differences;
    const finding = this.#judge(failure, result, { differences: judged, fired: fired.length });
    return { ...finding, detail: refuses && finding.verdict === 'recovered' ? 'the command passed' : finding.what };
  }

  #judge(failure: JudgedFailure, result: TrialResult, run: Pick<JudgedRun, 'differences' | 'fired'>): Finding {
    const { operation } = failure;
    return judge({
      ...{ failure, result, ...run, outputs: this.outputs },
      requests: countOperations(result).get(operation ?? '') ?? 0,
      usual: this.#requestsOf(operation),
    });
  }
}

/** @returns the baseline, or why there is none */
export async function runBaseline(
  run: () => Promise<TrialResult>,
  jobs: number,
): Promise<Baseline | { readonly mistake: string }> {
  const first = await run();
  const mistake = findMistake(first, 'the first run');
  if (mistake) return { mistake };
  const copies = await Promise.all(Array.from({ length: jobs }, run));
  const disagreement =
    findDisagreement(first, copies, jobs === 1 ? 'the second run' : `one of ${jobs} copies`) ??
    (jobs === 1 ? undefined : findOtherRecords([first, ...copies]));
  if (disagreement === undefined) return new Baseline([first, ...copies], jobs);
  if (jobs === 1) return { mistake: disagreement };
  const second = await run();
  const again = findDisagreement(first, [second], 'the second run');
  if (again !== undefined) return { mistake: again };
  const remark = `copies of the command disturb each other, so cases run one at a time: ${disagreement}`;
  return new Baseline([first, second], 1, remark);
}

function findDisagreement(first: TrialResult, others: readonly TrialResult[], name: string): string | undefined {
  for (const other of others) {
    const mistake = findMistake(other, name) ?? compareOperations(first, other, name);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

/** Returns a sentence if not even the numbers of records are the same. */
function findOtherRecords(runs: readonly TrialResult[]): string | undefined {
  return new Comparer(runs).level === 'none' ? 'side by side, they stored other numbers of records' : undefined;
}

/** Returns why a run cannot be a baseline. */
function findMistake({ exitCode, mistake, output, requests, end }: TrialResult, name: string): string | undefined {
  if (mistake !== undefined) return mistake;
  if (end !== 'exited') return `without any failure, ${name} of the command had to be ended at the time limit`;
  if (exitCode !== 0) {
    const line = findErrorLine(output, [], true);
    const error = line === undefined ? 'it printed nothing' : `its first error: ${line}`;
    return `without any failure, ${name} of the command ended with ${exitCode}; expected 0; ${error}`;
  }
  if (requests.every(({ operation }) => operation === undefined)) {
    return 'the command sent no request to the sandbox: it must use SANDBOX_URL';
  }
  return undefined;
}

function compareOperations(first: TrialResult, other: TrialResult, name: string): string | undefined {
  const [one, two] = [countOperations(first), countOperations(other)];
  const onlyFirst = [...one.keys()].filter((operation) => !two.has(operation));
  const onlyOther = [...two.keys()].filter((operation) => !one.has(operation));
  if (onlyFirst.length + onlyOther.length === 0) return undefined;
  const parts = [
    ...(onlyFirst.length > 0 ? [`only the first run used ${onlyFirst.join(', ')}`] : []),
    ...(onlyOther.length > 0 ? [`only ${name} used ${onlyOther.join(', ')}`] : []),
  ];
  return `without any failure, runs of the command use different operations: ${parts.join('; ')}`;
}

/** Counts the requests of each operation, in the order of their first use. */
function countOperations({ requests }: Pick<TrialResult, 'requests'>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { operation } of requests) {
    if (operation !== undefined) counts.set(operation, (counts.get(operation) ?? 0) + 1);
  }
  return counts;
}

function toOperations(runs: readonly [TrialResult, ...TrialResult[]]): ReadonlyMap<string, SweptOperation> {
  const used = [...countOperations(runs[0]).keys()];
  return new Map(
    used.map((operation) => {
      const uses = runs.map((run) => toUse(run, operation));
      const least = (key: keyof OperationUse): number => Math.min(...uses.map((use) => use[key]));
      const use = {
        ...{ requests: least('requests'), lastEntry: least('lastEntry'), callbacks: least('callbacks') },
        callbacksOfProject: least('callbacksOfProject'),
        ...{ clockRate: least('clockRate'), requestRate: least('requestRate') },
        varies: new Set(uses.map(({ requests }) => requests)).size > 1,
        records: countRecords(runs[0], operation),
      };
      return [operation, use] as const;
    }),
  );
}

function toUse({ requests: all, lives }: TrialResult, operation: string): OperationUse {
  const requests = all.filter((request) => request.operation === operation);
  const callbacks = lives.map((life) => life.callbacks.filter((callback) => callback.operation === operation));
  const rateOf = (rates: readonly number[]): number => (rates.length === 0 ? 1 : Math.min(...rates));
  return {
    requests: requests.length,
    lastEntry: findLastEntry(requests[0]),
    callbacks: callbacks.flat().length,
    callbacksOfProject: Math.max(0, ...callbacks.map(({ length }) => length)),
    clockRate: rateOf(callbacks.flat().map(({ clockRate }) => clockRate)),
    requestRate: rateOf(requests.map(({ evidence: { clockRate = 1 } }) => clockRate)),
  };
}

function countRecords({ requests }: TrialResult, operation: string): number {
  const applied = requests.filter((request) => request.operation === operation).flatMap((request) => request.applied);
  const writes = applied.flatMap((one) => one.writes);
  return writes.filter((write) => !('point' in write) && write.into !== 'devices').length;
}

/** Returns the number of the last entry that succeeded, as `item` of a rule counts; 0 if there is none. */
function findLastEntry(request: JournalEntry | undefined): number {
  const failed = new Set(request?.applied.flatMap((one) => one.failed.map(({ id }) => id)));
  return request?.named ? toEntryIds(request.named).findLastIndex((id) => !failed.has(id)) + 1 : 0;
}

/** Counts the callbacks that their receiver accepted at once, by type. */
export function countDelivered({ lives }: TrialResult): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { type, attempts } of lives.flatMap(({ callbacks }) => callbacks)) {
    const { status = 0 } = attempts[0] ?? {};
    if (status >= 200 && status < 300) counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}
