/** Runs the cases of a sweep, several at a time, and judges each. */
import type { FailureCase } from '../../scenarios/cases.ts';
import type { SweepCase } from '../../sweep-report/report.ts';
import { isBad } from '../../sweep-report/verdicts.ts';
import type { TrialResult } from '../trial/trial.ts';
import { countOperations } from './baseline.ts';
import type { Comparer } from './compare/compare.ts';
import { type BaselineFacts, type Judgement, judge } from './judge/judge.ts';

export interface RunCasesRequest {
  readonly cases: readonly FailureCase[];
  readonly jobs: number;
  readonly baseline: BaselineFacts;
  readonly comparer: Comparer;
  /** Runs the command once under a case. */
  run(failure: FailureCase): Promise<TrialResult>;
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

/** Returns the results of the cases that were tried, in the order of `cases`. */
export async function runCases(request: RunCasesRequest): Promise<readonly SweepCase[]> {
  const { cases, jobs, isOver, done } = request;
  const results = new Map<string, SweepCase>();
  /** Runs that the failures of every request can reuse. Others are forgotten, because they hold all requests. */
  const reusable = new Map<string, Promise<Made | undefined>>();
  const hasOutage = new Set(cases.filter(({ always }) => always).map((one) => `${one.operation}/${one.kind}/1`));
  const waiting = [...cases];

  async function work(): Promise<void> {
    for (;;) {
      if (isOver()) return;
      const next = waiting.shift();
      if (!next) return;
      const one = await runCase(next);
      if (!one) return;
      results.set(next.id, one);
      done(one);
    }
  }

  async function runCase(failure: FailureCase): Promise<SweepCase | undefined> {
    const id = `${failure.operation}/${failure.kind}/1`;
    const same = failure.always ? await reusable.get(id) : undefined;
    if (same) return toSweepCase(failure, judgeMade(failure, same, request), { sameAs: id });
    const trying = tryCase(failure);
    if (hasOutage.has(failure.id)) reusable.set(failure.id, trying.then(toReusable));
    return (await trying)?.case;
  }

  async function tryCase(failure: FailureCase): Promise<TriedCase | undefined> {
    const first = await attempt(failure, request);
    if (first.result.end === 'aborted') return undefined;
    if (!isBad(first.verdict)) return { case: toSweepCase(failure, first, {}), attempt: first };
    const second = await attempt(failure, request);
    if (second.result.end === 'aborted') return undefined;
    if (isBad(second.verdict)) {
      return { case: toSweepCase(failure, first, await request.keep(failure, first.result)), attempt: first };
    }
    const detail = `${first.detail} (${first.verdict}); a second run did not confirm it (${second.verdict})`;
    return { case: toSweepCase(failure, { ...first, verdict: 'flaky', detail }, {}), attempt: first };
  }

  await Promise.all(Array.from({ length: jobs }, work));
  return cases.flatMap(({ id }) => results.get(id) ?? []);
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

async function attempt(failure: FailureCase, request: RunCasesRequest): Promise<Attempt> {
  const result = await request.run(failure);
  const requests = countOperations(result).get(failure.operation) ?? 0;
  return judgeMade(failure, { result, requests, fired: result.firings.get(failure.name) ?? 0 }, request);
}

function judgeMade(failure: FailureCase, made: Made, { baseline, comparer }: RunCasesRequest): Attempt {
  const { result, requests, fired } = made;
  const differences = comparer.compare(result);
  return {
    ...judge({ case: failure, ...{ result, differences, requests, fired } }, baseline),
    result,
    requests,
    fired,
  };
}

function toSweepCase(
  { id, operation, kind, occurrence, always, expects }: FailureCase,
  { verdict, detail, result }: Attempt,
  more: Partial<SweepCase>,
): SweepCase {
  return {
    ...{ case: id, operation, kind, occurrence, always, expects, verdict, detail },
    exitCode: result.end === 'exited' ? result.exitCode : null,
    requests: result.requests.length,
    durationMs: Math.round(result.durationMs),
    ...more,
  };
}
