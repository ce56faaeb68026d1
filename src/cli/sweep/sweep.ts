/** Sweeps a command: runs it without any failure, then once under each failure, and reports how it survived. */
import type { Options } from '../../config/option-table.ts';
import type { SandboxFiles } from '../../config/sandbox-files.ts';
import type { WallClock } from '../../lib/time.ts';
import { operationIds } from '../../operations/index.ts';
import type { FailureCase } from '../../scenarios/cases.ts';
import { compileScenario } from '../../scenarios/compile.ts';
import type { CompiledScenario } from '../../scenarios/compiled.ts';
import { parseScenario } from '../../scenarios/parse.ts';
import { summarize } from '../../sweep-report/matrix.ts';
import type { SweepCase, SweepReport } from '../../sweep-report/report.ts';
import type { Io } from '../frame/io.ts';
import { toLimitMs } from '../trial/time-limit.ts';
import { runTrial, type TrialResult } from '../trial/trial.ts';
import { type Baseline, countDelivered, runBaseline, toFacts } from './baseline.ts';
import { createComparer } from './compare/compare.ts';
import type { Level } from './compare/level.ts';
import type { CostFacts } from './estimate.ts';
import { keepCase } from './files.ts';
import { maxRequests } from './judge/judge.ts';
import { type LastSweep, type Plan, planCases } from './plan.ts';
import { runCases } from './run-cases.ts';
import type { SweepOptions } from './sweep-options.ts';

export interface SweepRequest {
  readonly options: Options;
  readonly sweep: SweepOptions;
  readonly files: SandboxFiles;
  readonly command: readonly string[];
  readonly last: LastSweep;
  readonly io: Pick<Io, 'stderr' | 'env'>;
  readonly wall: WallClock;
  /** Ends the sweep early. */
  readonly signal: AbortSignal;
  /** Called when the baseline is known, with the cases that follow. */
  began(baseline: Baseline, cases: readonly FailureCase[], levels: SweepLevels, costs: CostFacts): void;
  /** Called after each case. */
  done(one: SweepCase): void;
}

/** How exactly records and changes are compared. */
export interface SweepLevels {
  readonly records: Level;
  readonly changes: Level;
}

/** The report, and messages of the sandbox's own bugs. */
export interface SweepResult {
  readonly report: SweepReport;
  /** Why cases were not tried. */
  readonly endedBy: 'signal' | 'budget' | undefined;
  readonly bugs: readonly string[];
}

/** @returns the result, or why the command cannot be swept */
export async function sweepCommand(
  request: SweepRequest,
): Promise<SweepResult | { readonly mistakes: readonly string[] }> {
  const { options, sweep, files, command, io, wall, signal, last } = request;
  const bugs = new Set<string>();
  const startedMs = wall.elapsed();

  async function run(
    failure: FailureCase | undefined,
    limitMs: number | undefined,
    baseline?: Baseline,
    onWait?: (isWaiting: boolean) => void,
  ): Promise<TrialResult> {
    const result = await runTrial({
      ...{ options, files, command, io, wall, signal },
      scenarios: failure ? [await compileCase(failure)] : [],
      environment: failure ? { SANDBOX_CASE: failure.id } : {},
      ...(limitMs !== undefined && { limitMs }),
      ...(baseline && { maxRequests: (operation) => toMaxRequests(baseline, operation) }),
      ...(onWait && { onWait }),
    });
    for (const bug of result.bugs) bugs.add(bug);
    return result;
  }

  const baseline = await runBaseline(() => run(undefined, sweep.timeoutMs), sweep.jobs);
  if (signal.aborted) return { report: toReport(undefined, undefined, []), endedBy: 'signal', bugs: [...bugs] };
  if ('mistakes' in baseline) return baseline;
  const plan = planCases(files, baseline.operations, sweep, last);
  if ('mistakes' in plan) return plan;
  const { cases } = plan;
  const comparer = createComparer(baseline.runs);
  const { jobs, durationMs } = baseline;
  const limitMs = sweep.timeoutMs ?? toLimitMs(durationMs);
  request.began(baseline, cases, comparer.levels, { jobs, durationMs, limitMs });
  const results = await runCases({
    cases,
    jobs,
    baseline: toFacts(baseline),
    comparer,
    run: (failure, onWait) => run(failure, limitMs, baseline, onWait),
    isOver: () => signal.aborted || wall.elapsed() - startedMs >= (sweep.budgetMs ?? Number.POSITIVE_INFINITY),
    keep: (failure, result) => keepCase(sweep.out, failure, result),
    done: request.done,
  });
  const report = toReport(baseline, plan, results);
  const endedBy = signal.aborted ? 'signal' : report.notTried > 0 ? 'budget' : undefined;
  return { report, endedBy, bugs: [...bugs] };
}

/** Compiles the scenario of a case. */
export async function compileCase({ yaml, id }: FailureCase): Promise<CompiledScenario> {
  const parsed = parseScenario(yaml, id, operationIds);
  if (!parsed.ok) throw new Error(`the scenario of ${id} is not valid`);
  return compileScenario(parsed.scenario);
}

/** A storm is beyond doubt long before this, but a report with numbers is more convincing. */
const shownStorm = 200;

export function toMaxRequests({ operations }: Baseline, operation: string): number {
  return maxRequests(operations.get(operation)?.requests ?? 0) + shownStorm;
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
