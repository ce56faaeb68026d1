/** Runs the command without any failure: twice, the second time several copies side by side. */
import type { JournalEntry } from '../../journal/entry.ts';
import type { Json } from '../../lib/json.ts';
import { type OperationId, operations } from '../../operations/index.ts';
import type { OperationUse } from '../../scenarios/cases.ts';
import type { TrialResult } from '../trial/trial.ts';
import { createComparer } from './compare/compare.ts';
import { findErrorLine } from './judge/error-line.ts';
import type { BaselineFacts } from './judge/judge.ts';

/** Runs without a failure, and how many copies of the command may run at a time. */
export interface Baseline {
  readonly runs: readonly TrialResult[];
  readonly jobs: number;
  /** Says why copies of the command disturb each other. */
  readonly remark: string | undefined;
  /** Duration of the slowest run, in milliseconds. */
  readonly durationMs: number;
  readonly operations: ReadonlyMap<string, SweptOperation>;
}

/** Returns what judging a run needs of the baseline. */
export function toFacts({ operations, runs }: Baseline): BaselineFacts {
  return {
    operations: new Map([...operations].map(([operation, { requests }]) => [operation, requests])),
    outputs: runs.map(({ output }) => output),
  };
}

/** What the command does to an operation. */
export interface SweptOperation extends OperationUse {
  /** Whether the number of requests differs from run to run. */
  readonly varies: boolean;
  /** Number of records that its requests wrote in the first run, without locations: newer ones make up for them. */
  readonly records: number;
}

/** @returns the baseline, or why there is none */
export async function runBaseline(
  run: () => Promise<TrialResult>,
  jobs: number,
): Promise<Baseline | { readonly mistakes: readonly string[] }> {
  const first = await run();
  const mistake = findMistake(first, 'the first run');
  if (mistake) return { mistakes: [mistake] };
  const copies = await Promise.all(Array.from({ length: jobs }, run));
  const disagreement =
    findDisagreement(first, copies, jobs === 1 ? 'the second run' : `one of ${jobs} copies`) ??
    (jobs === 1 ? undefined : findOtherRecords([first, ...copies]));
  if (disagreement === undefined) return toBaseline([first, ...copies], jobs, undefined);
  if (jobs === 1) return { mistakes: [disagreement] };
  const second = await run();
  const again = findDisagreement(first, [second], 'the second run');
  if (again !== undefined) return { mistakes: [again] };
  const remark = `copies of the command disturb each other, so cases run one at a time: ${disagreement}`;
  return toBaseline([first, second], 1, remark);
}

function toBaseline(runs: readonly TrialResult[], jobs: number, remark: string | undefined): Baseline {
  const durationMs = Math.max(...runs.map((run) => run.durationMs));
  return { runs, jobs, remark, durationMs, operations: toOperations(runs) };
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
  const { records } = createComparer(runs).levels;
  return records === 'none' ? 'side by side, they stored other numbers of records' : undefined;
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
    return 'the command sent no request to the sandbox: does it use SANDBOX_URL?';
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
export function countOperations({ requests }: Pick<TrialResult, 'requests'>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { operation } of requests) {
    if (operation !== undefined) counts.set(operation, (counts.get(operation) ?? 0) + 1);
  }
  return counts;
}

/** Returns the largest number of callbacks of the operation in one life of a project. */
function countOfProject({ lives }: TrialResult, operation: string): number {
  return Math.max(0, ...lives.map((life) => life.callbacks.filter((one) => one.operation === operation).length));
}

function toOperations(runs: readonly TrialResult[]): ReadonlyMap<string, SweptOperation> {
  const counts = runs.map(countOperations);
  const [first = new Map<string, number>()] = counts;
  return new Map(
    [...first.keys()].map((operation) => {
      const numbers = counts.map((one) => one.get(operation) ?? 0);
      const callbacks = runs.map(({ lives }) =>
        lives.flatMap((life) => life.callbacks.filter((callback) => callback.operation === operation)),
      );
      const requests = runs.map((run) => run.requests.filter((request) => request.operation === operation));
      const writes = requests[0]?.flatMap(({ applied }) => applied.flatMap((one) => one.writes)) ?? [];
      const use = {
        requests: Math.min(...numbers),
        lastEntry: Math.min(...requests.map(([first]) => findLastEntry(first))),
        callbacks: Math.min(...callbacks.map(({ length }) => length)),
        callbacksOfProject: Math.min(...runs.map((run) => countOfProject(run, operation))),
        clockRate: findRate(callbacks.flat().map(({ clockRate }) => clockRate)),
        requestRate: findRate(requests.flat().map(({ evidence: { clockRate = 1 } }) => clockRate)),
        varies: new Set(numbers).size > 1,
        records: writes.filter((write) => !('point' in write) && write.into !== 'devices').length,
      };
      return [operation, use] as const;
    }),
  );
}

/**
 * Returns the number of the last entry that succeeded, as `item` of a rule counts: the jobs of routes, not the routes. 0
 * if there is none.
 */
function findLastEntry(request: JournalEntry | undefined): number {
  const operation = operations[request?.operation as OperationId];
  const { list = '', idField = 'id' } = operation ?? {};
  const rows = parseBody(request)?.[list];
  if (!Array.isArray(rows)) return 0;
  const entries: readonly Json[] = list === 'routes' ? rows.flatMap((route) => route?.jobs ?? []) : rows;
  const failed = new Set(request?.applied.flatMap((one) => one.failed.map(({ id }) => id)));
  return entries.findLastIndex((entry) => !failed.has(String(entry?.[idField]))) + 1;
}

function parseBody(request: JournalEntry | undefined): Json | null | undefined {
  try {
    return JSON.parse(request?.requestBody?.read().shown ?? 'null');
  } catch {
    return undefined;
  }
}

function findRate(rates: readonly number[]): number {
  return Math.min(...rates, rates[0] ?? 1);
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
