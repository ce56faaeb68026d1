/** Runs the cases of a sweep, several at a time, and judges each. */
import pLimit from 'p-limit';
import type { FailureCase } from '../../scenarios/cases.ts';
import type { SweepCase } from '../../sweep-report/report.ts';
import { isBad } from '../../sweep-report/verdicts.ts';
import type { TrialResult } from '../trial/trial.ts';
import type { Baseline } from './baseline.ts';
import { findErrorLine } from './judge/error-line.ts';
import type { Judgement } from './judge/judge.ts';

export interface RunCasesRequest {
  readonly cases: readonly FailureCase[];
  readonly jobs: number;
  readonly baseline: Pick<Baseline, 'judge' | 'outputs'>;
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
interface Attempt extends Judgement {
  readonly result: TrialResult;
}

/** Maximum number of commands that wait on a failure of the sandbox beside those that work. */
export const maxWaiting = 8;

/**
 * Returns the results of the cases that were tried, in the order of `cases`. A command that waits on a failure makes room
 * for another. With one job, nothing else runs meanwhile.
 */
export async function runCases(request: RunCasesRequest): Promise<readonly SweepCase[]> {
  const { cases, jobs, baseline, run, isOver, keep, done } = request;
  const limit = pLimit(jobs);
  let waiting = 0;
  /** Runs that the failures of every request can reuse. Others are forgotten, because they hold all requests. */
  const reusable = new Map<string, Promise<TrialResult | undefined>>();
  const outages = new Set(cases.filter(({ always }) => always).map(toFirstId));

  async function runCase(failure: FailureCase): Promise<SweepCase | undefined> {
    const sameAs = toFirstId(failure);
    const same = failure.always ? await reusable.get(sameAs) : undefined;
    if (same) return toCase(failure, { ...baseline.judge(failure, same), result: same }, { sameAs });
    const trying = limit(async () => (isOver() ? undefined : tryCase(failure)));
    if (outages.has(failure.id)) reusable.set(failure.id, trying.then(toReusable));
    return (await trying)?.case;
  }

  async function tryCase(failure: FailureCase) {
    const first = await attempt(failure);
    if (!first) return undefined;
    const { result } = first;
    if (!isBad(first.verdict)) return { case: toCase(failure, first, {}), result };
    const second = isSure(failure, first) ? first : await attempt(failure);
    if (!second) return undefined;
    if (isBad(second.verdict)) return { case: toCase(failure, first, await keep(failure, result)), result };
    const detail = `${first.detail} (${first.verdict}); a second run did not confirm it (${second.verdict})`;
    return { case: toCase(failure, { ...first, verdict: 'flaky', detail }, {}), result };
  }

  /** Runs a case once. Returns undefined if the sweep has ended by then. */
  async function attempt(failure: FailureCase): Promise<Attempt | undefined> {
    const onWait = createWaiter();
    const result = await run(failure, onWait).finally(() => onWait(false));
    return result.end === 'aborted' ? undefined : { ...baseline.judge(failure, result), result };
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

  function toCase(
    failure: FailureCase,
    { verdict, detail, found, result }: Attempt,
    more: Partial<SweepCase>,
  ): SweepCase {
    const { id, operation, kind, occurrence, always, expects } = failure;
    const { end, exitCode, output } = result;
    const error = isBad(verdict) ? findErrorLine(output, baseline.outputs, exitCode !== 0) : undefined;
    return {
      ...{ case: id, operation, kind, occurrence, always, expects, verdict, detail },
      ...(verdict !== 'flaky' && { found }),
      ...(error !== undefined && { error }),
      exitCode: end === 'exited' ? exitCode : null,
      requests: result.requests.length,
      durationMs: Math.round(result.durationMs),
      ...more,
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

/** Returns the id of the case that hits the first request only. */
function toFirstId({ operation, kind }: FailureCase): string {
  return `${operation}/${kind}/1`;
}

/** A case with its first run. */
interface TriedCase {
  readonly case: SweepCase;
  readonly result: TrialResult;
}

/** Returns the run if a failure of every request cannot differ from it, because there was only one request. */
function toReusable(tried: TriedCase | undefined): TrialResult | undefined {
  const requests = tried?.result.requests.filter(({ operation }) => operation === tried.case.operation);
  return requests?.length === 1 && tried?.case.verdict !== 'flaky' ? tried?.result : undefined;
}

/** Whether the run itself shows that the command hung: its last request met the failure, and was still open at the end. */
function isSure({ name }: FailureCase, { verdict, result: { unanswered } }: Attempt): boolean {
  return verdict === 'hung' && unanswered?.fired.some(({ scenario }) => scenario === name) === true;
}
