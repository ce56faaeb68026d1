/** Sweeps a command: runs it without any failure, then once under each failure, and reports how it survived. */
import { ConfigError } from '../../config/config-error.ts';
import type { FailureCase } from '../../scenarios/cases.ts';
import { compileScenario } from '../../scenarios/compile.ts';
import type { CompiledScenario } from '../../scenarios/compiled.ts';
import { parseScenario } from '../../scenarios/parse.ts';
import { type SweepCase, type SweepReport, summarize } from '../../sweep-report/report.ts';
import { isBad } from '../../sweep-report/verdicts.ts';
import { runTrial, type TrialResult, type TrialSeries } from '../trial/trial.ts';
import type { Limits } from '../trial/watch.ts';
import { type Baseline, countDelivered, runBaseline } from './baseline.ts';
import { keepCase, toFolderProblem } from './files.ts';
import { type Plan, planCases } from './plan.ts';
import { runCases } from './run-cases.ts';
import type { SweepOptions } from './sweep-options.ts';

export interface SweepRequest extends TrialSeries {
  readonly sweep: SweepOptions;
  /** Cases of the sweep before. */
  readonly last: readonly SweepCase[];
  /** Called when the baseline is known, with the cases that follow and the time limit of each. */
  began(baseline: Baseline, cases: readonly FailureCase[], limitMs: number): void;
  /** Called when a case begins to wait for what the client does about its failure, and when it goes on. */
  waits?(id: string, isWaiting: boolean): void;
  /** Called after each case. */
  done(one: SweepCase): void;
}

export interface SweepResult {
  readonly report: SweepReport;
  /** Why cases were not tried. */
  readonly endedBy: 'signal' | 'budget' | undefined;
  /** Which files of cases could not be written. */
  readonly problems: readonly string[];
}

/** @throws ConfigError if the command cannot be swept */
export async function sweepCommand(request: SweepRequest): Promise<SweepResult> {
  const { options, sweep, files, wall, signal, last } = request;
  const startedMs = wall.elapsed();

  async function run(failure: FailureCase | undefined, limits: Omit<Limits, 'wall' | 'signal'>): Promise<TrialResult> {
    return runTrial({
      ...{ ...request, ...limits },
      scenarios: failure ? [await compileCase(failure)] : [],
      environment: failure ? { SANDBOX_CASE: failure.id } : {},
    });
  }

  const { timeoutMs: limitMs, budgetMs = Number.POSITIVE_INFINITY } = sweep;
  const baseline = await runBaseline(() => run(undefined, limitMs === undefined ? {} : { limitMs }), sweep.jobs);
  if (signal.aborted) return { report: toReport(undefined, undefined, []), endedBy: 'signal', problems: [] };
  if ('mistake' in baseline) throw new ConfigError([baseline.mistake]);
  const lastBad = new Set(last.filter(({ verdict }) => isBad(verdict)).map((one) => one.case));
  const plan = planCases(files, baseline.operations, { ...sweep, ...options }, lastBad);
  const { cases } = plan;
  const limits = baseline.limits(limitMs);
  request.began(baseline, cases, limits.limitMs);
  const problems: string[] = [];
  const results = await runCases({
    ...{ cases, jobs: baseline.jobs, baseline, done: request.done },
    run: (failure, makeRoom) => {
      const onWait = (isWaiting: boolean): void => {
        request.waits?.(failure.id, isWaiting);
        makeRoom(isWaiting);
      };
      return run(failure, { ...limits, onWait });
    },
    isOver: () => signal.aborted || wall.elapsed() - startedMs >= budgetMs,
    keep: (failure, result) =>
      keepCase(sweep.out, failure, result).catch((error: unknown) => {
        problems.push(toFolderProblem(`files of ${failure.id}`, error));
        return {};
      }),
  });
  const report = toReport(baseline, plan, results);
  const endedBy = signal.aborted ? 'signal' : report.notTried > 0 ? 'budget' : undefined;
  return { report, endedBy, problems };
}

/** Compiles the scenario of a case. */
export async function compileCase({ yaml, id }: FailureCase): Promise<CompiledScenario> {
  const parsed = parseScenario(yaml, id);
  if (!parsed.ok) throw new Error(`the scenario of ${id} is not valid`);
  return compileScenario(parsed.scenario);
}

function toReport(baseline: Baseline | undefined, plan: Plan | undefined, cases: readonly SweepCase[]): SweepReport {
  const operations = [...(baseline?.operations ?? [])].map(([operation, { requests }]) => [operation, requests]);
  const [first] = baseline?.runs ?? [];
  const callbacks = first ? countDelivered(first) : {};
  return {
    baseline: {
      requests: first?.requests.length ?? 0,
      durationMs: Math.round(baseline?.durationMs ?? 0),
      operations: Object.fromEntries(operations),
      ...(Object.keys(callbacks).length > 0 && { callbacks }),
    },
    cases,
    summary: summarize(cases),
    notTried: (plan?.cases.length ?? 0) - cases.length,
    ...(plan && plan.omitted.length > 0 && { omitted: plan.omitted }),
  };
}
