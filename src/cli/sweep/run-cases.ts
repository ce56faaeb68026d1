/** Runs the cases of a sweep, several at a time, and judges each. */
import pLimit from 'p-limit';
import type { FailureCase } from '../../scenarios/cases.ts';
import type { SweepCase } from '../../sweep-report/report.ts';
import { isBad } from '../../sweep-report/verdicts.ts';
import type { TrialResult } from '../trial/trial.ts';
import { countOperations } from './baseline.ts';
import type { Comparer } from './compare/compare.ts';
import { findErrorLine } from './judge/error-line.ts';
import { type BaselineFacts, type Judgement, judgeCase } from './judge/judge.ts';

export interface RunCasesRequest {
  readonly cases: readonly FailureCase[];
  readonly jobs: number;
  readonly baseline: BaselineFacts;
  readonly comparer: Comparer;
  /** Runs the command once under a case. */
  run(failure: FailureCase, onWait: (isWaiting: boolean) => void): Promise<TrialResult>;
  /** Whether no further case may begin. */
  isOver(): boolean;
  /** Stores the files of a bad case. Returns their paths. */
  keep(failure: FailureCase, result: TrialResult): Promise<Pick<SweepCase, 'scenario' | 'recordings' | 'output'>>;
  /** Called after each case. */
  done(one: SweepCase): void;
}

/** A run of a case. */
interface Made {
  readonly result: TrialResult;
  /** Number of requests of the operation. */
  readonly requests: number;
  /** How often the rule of the case fired. */
  readonly fired: number;
}

type Attempt = Made & Judgement;

/** Maximum number of commands that wait on a failure of the sandbox beside those that work. */
export const maxWaiting = 8;

/**
 * Returns the results of the cases that were tried, in the order of `cases`. A command that waits on a failure makes room
 * for another. With one job, nothing else runs meanwhile.
 */
export async function runCases(request: RunCasesRequest): Promise<readonly SweepCase[]> {
  const { cases, jobs, isOver, done } = request;
  const limit = pLimit(jobs);
  let waiting = 0;
  /** Runs that the failures of every request can reuse. Others are forgotten, because they hold all requests. */
  const reusable = new Map<string, Promise<Made | undefined>>();
  const hasOutage = new Set(cases.filter(({ always }) => always).map((one) => `${one.operation}/${one.kind}/1`));

  async function runCase(failure: FailureCase): Promise<SweepCase | undefined> {
    const id = `${failure.operation}/${failure.kind}/1`;
    const same = failure.always ? await reusable.get(id) : undefined;
    if (same) return toSweepCase(failure, judgeMade(failure, same, request), { sameAs: id }, request);
    const trying = limit(async () => (isOver() ? undefined : tryCase(failure)));
    if (hasOutage.has(failure.id)) reusable.set(failure.id, trying.then(toReusable));
    return (await trying)?.case;
  }

  async function tryCase(failure: FailureCase): Promise<TriedCase | undefined> {
    const first = await attempt(failure);
    if (!first) return undefined;
    const toCase = (one: Attempt, more: Partial<SweepCase>) => toSweepCase(failure, one, more, request);
    if (!isBad(first.verdict)) return { case: toCase(first, {}), attempt: first };
    const second = isSure(failure, first) ? first : await attempt(failure);
    if (!second) return undefined;
    if (isBad(second.verdict))
      return { case: toCase(first, await request.keep(failure, first.result)), attempt: first };
    const detail = `${first.detail} (${first.verdict}); a second run did not confirm it (${second.verdict})`;
    return { case: toCase({ ...first, verdict: 'flaky', detail }, {}), attempt: first };
  }

  /** Runs a case once. Returns undefined if the sweep has ended by then. */
  async function attempt(failure: FailureCase): Promise<Attempt | undefined> {
    const onWait = createWaiter();
    const result = await request.run(failure, onWait).finally(() => onWait(false));
    if (result.end === 'aborted') return undefined;
    const requests = countOperations(result).get(failure.operation) ?? 0;
    return judgeMade(failure, { result, requests, fired: result.firings.get(failure.name) ?? 0 }, request);
  }

  function createWaiter(): (isWaiting: boolean) => void {
    let waits = false;
    return (isWaiting) => {
      if (isWaiting === waits || jobs === 1 || (isWaiting && waiting === maxWaiting)) return;
      waits = isWaiting;
      waiting += isWaiting ? 1 : -1;
      limit.concurrency = jobs + waiting;
    };
  }

  const results = await Promise.all(
    cases.map(async (failure) => {
      const one = await runCase(failure);
      if (one) done(one);
      return one ?? [];
    }),
  );
  return results.flat();
}

/** A case with its first run. */
interface TriedCase {
  readonly case: SweepCase;
  readonly attempt: Made;
}

/** Returns the run if a failure of every request cannot differ from it, because there was only one request. */
function toReusable(tried: TriedCase | undefined): Made | undefined {
  return tried?.attempt.requests === 1 && tried.case.verdict !== 'flaky' ? tried.attempt : undefined;
}

/** Whether the run itself shows that the command hung: its last request met the failure, and was still open at the end. */
function isSure({ name }: FailureCase, { verdict, result: { unanswered } }: Attempt): boolean {
  return verdict === 'hung' && unanswered?.fired.some(({ scenario }) => scenario === name) === true;
}

function judgeMade(failure: FailureCase, made: Made, { baseline, comparer }: RunCasesRequest): Attempt {
  const differences = comparer.compare(made.result);
  return { ...made, ...judgeCase(failure, { ...made, differences }, baseline) };
}

function toSweepCase(
  { id, operation, kind, occurrence, always, expects }: FailureCase,
  { verdict, detail, found, result }: Attempt,
  more: Partial<SweepCase>,
  { baseline }: Pick<RunCasesRequest, 'baseline'>,
): SweepCase {
  const { end, exitCode, output } = result;
  const error = isBad(verdict) ? findErrorLine(output, baseline.outputs, exitCode !== 0) : undefined;
  return {
    ...{ case: id, operation, kind, occurrence, always, expects, verdict, detail },
    ...(isBad(verdict) && { found }),
    ...(error !== undefined && { error }),
    exitCode: end === 'exited' ? exitCode : null,
    requests: result.requests.length,
    durationMs: Math.round(result.durationMs),
    ...more,
  };
}
