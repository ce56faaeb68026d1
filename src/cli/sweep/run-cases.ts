/** Runs the cases of a sweep, several at a time, and judges each. */
import type { FailureCase } from '../../scenarios/cases.ts';
import type { SweepCase } from '../../sweep-report/report.ts';
import { type Verdict, verdicts } from '../../sweep-report/verdicts.ts';
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
  const attempts = new Map<string, Promise<Attempt>>();
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
    const same = await findSame(failure);
    if (same) return toSweepCase(failure, judgeResult(failure, same.attempt, request), { sameAs: same.id });
    const attempting = attempt(failure, request);
    attempts.set(failure.id, attempting);
    const found = await attempting;
    if (found.result.end === 'aborted') return undefined;
    if (!isBad(found.verdict)) return toSweepCase(failure, found, {});
    const second = await attempt(failure, request);
    if (second.result.end === 'aborted') return undefined;
    if (isBad(second.verdict)) return toSweepCase(failure, found, await request.keep(failure, found.result));
    const detail = `${found.detail} (${found.verdict}); a second run did not confirm it (${second.verdict})`;
    return toSweepCase(failure, { ...found, verdict: 'flaky', detail }, {});
  }

  /** Finds a case that this one cannot differ from: if its failure met the only request, every request is that one. */
  async function findSame({
    always,
    operation,
    kind,
  }: FailureCase): Promise<{ id: string; attempt: Attempt } | undefined> {
    const id = `${operation}/${kind}/1`;
    const other = always ? await attempts.get(id) : undefined;
    return other?.requests === 1 && other.result.end !== 'aborted' ? { id, attempt: other } : undefined;
  }

  await Promise.all(Array.from({ length: jobs }, work));
  return cases.flatMap(({ id }) => results.get(id) ?? []);
}

async function attempt(failure: FailureCase, request: RunCasesRequest): Promise<Attempt> {
  const result = await request.run(failure);
  const requests = countOperations(result).get(failure.operation) ?? 0;
  return judgeResult(failure, { result, requests, fired: result.firings.get(failure.name) ?? 0 }, request);
}

function judgeResult(failure: FailureCase, made: Made, { baseline, comparer }: RunCasesRequest): Attempt {
  const { result, requests, fired } = made;
  const differences = comparer.compare(result);
  return {
    ...judge({ case: failure, ...{ result, differences, requests, fired } }, baseline),
    result,
    requests,
    fired,
  };
}

function isBad(verdict: Verdict): boolean {
  return verdicts[verdict].quality === 'bad';
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
