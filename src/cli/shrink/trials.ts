/** Runs the command without the scenario, with it, and then with smaller ones. */
import type { Options } from '../../config/option-table.ts';
import type { WallClock } from '../../lib/time.ts';
import { compileScenario } from '../../scenarios/compile.ts';
import type { CompiledScenario } from '../../scenarios/compiled.ts';
import type { Scenario } from '../../scenarios/types.ts';
import type { SandboxFiles } from '../../server.ts';
import { count, toLastLines } from '../output/text.ts';
import { toLimitMs } from '../trial/time-limit.ts';
import { runTrial, type TrialResult } from '../trial/trial.ts';
import type { Attempt, NamedRule } from './attempt.ts';
import { type JoinedScenario, joinScenarios, parseRules, toScenario } from './scenario.ts';
import { shrink } from './shrink.ts';
import { type ActiveRule, readVisits } from './visits/visits.ts';

export interface ShrinkTrialsRequest {
  readonly options: Options;
  /** With the scenarios to shrink. */
  readonly files: SandboxFiles;
  readonly command: readonly string[];
  readonly wall: WallClock;
  /** Time after which no further run begins, in milliseconds. */
  readonly budgetMs: number | undefined;
  /** Ends the search early. */
  readonly signal: AbortSignal;
  readonly events: ShrinkEvents;
}

export interface ShrinkEvents {
  /** Called before each run; the first is run 1. `rules`: the number of rules. */
  began(run: number, rules: number): void;
  /** Called after a run that makes a difference, with a sentence about it. */
  found(run: number, text: string): void;
}

/** The smallest scenario that was found. */
export interface ShrunkScenario {
  readonly scenario: Scenario;
  /** Number of rules before. */
  readonly ruleCount: number;
  readonly runs: number;
  /** Whether the search came to its end. */
  readonly isComplete: boolean;
  /** Whether one more run failed too; undefined if there was none. */
  readonly isConfirmed: boolean | undefined;
  readonly recordings: TrialResult['recordings'];
  /** Messages of the sandbox's own bugs. */
  readonly bugs: readonly string[];
}

/** @returns the result, why there is nothing to shrink, or undefined if it was ended before the first failure */
export async function shrinkCommand(
  request: ShrinkTrialsRequest,
): Promise<ShrunkScenario | { readonly mistakes: readonly string[] } | undefined> {
  const { files, events, wall, budgetMs = Number.POSITIVE_INFINITY, signal } = request;
  const scenarios = files.serverScenarios;
  const joined = joinScenarios(scenarios);
  const startedMs = wall.elapsed();
  const runner = createRunner(request);
  const isOver = (): boolean => signal.aborted || wall.elapsed() - startedMs >= budgetMs;

  const without = await runner.run([], 0, undefined);
  if (without.end === 'aborted') return undefined;
  const unusable = findUnusable(without);
  if (unusable !== undefined) return { mistakes: [unusable] };
  events.found(1, `passes without the scenario, ${(without.durationMs / 1000).toFixed(1)} s`);
  const limitMs = toLimitMs(without.durationMs);
  const failed = await runner.run(scenarios, joined.rules.length, limitMs);
  if (failed.end === 'aborted') return undefined;
  if (!isFailure(failed)) return { mistakes: [describePassing(failed, 'with the scenario, the command passes too')] };
  events.found(2, `fails with ${count(joined.rules.length, 'rule')}: ${describeEnd(failed)}`);

  let last = failed;
  async function attempt(rules: readonly NamedRule[]): Promise<Attempt | undefined> {
    const scenario = parseRules(joined.frame, rules);
    if (!scenario) throw new Error('a smaller scenario is not valid');
    const compiled = await compileScenario(scenario);
    const result = await runner.run([compiled], rules.length, limitMs);
    if (result.end === 'aborted') return undefined;
    const fails = isSameFailure(failed, result);
    if (fails) last = result;
    const active = rules.flatMap(({ name }, index): readonly ActiveRule[] => {
      const rule = compiled.rules[index];
      return rule ? [{ name, rule }] : [];
    });
    return toAttempt(result, fails, active, request.options);
  }

  const first = { rules: joined.rules, attempt: toAttempt(failed, true, joined.active, request.options) };
  if (new Set(scenarios).size > 1) {
    const together = isOver() ? undefined : await attempt(joined.rules);
    if (together?.fails === false) return { mistakes: [describePassing(last, separateScenarios)] };
  }
  let lastCount = joined.rules.length;
  const best = await shrink({
    first,
    isValid: (rules) => parseRules(joined.frame, rules) !== undefined,
    run: async (rules) => {
      const tried = isOver() ? undefined : await attempt(rules);
      if (tried?.fails) {
        const isFewer = rules.length !== lastCount;
        events.found(
          runner.count(),
          isFewer ? `still fails with ${count(rules.length, 'rule')}` : 'simpler, still fails',
        );
        lastCount = rules.length;
      }
      return tried;
    },
  });
  const isComplete = !isOver();
  const again = isComplete ? await attempt(best.rules) : undefined;
  return {
    scenario: { ...toScenario(joined.frame, best.rules), description: describe(best.rules, joined, scenarios) },
    ruleCount: joined.rules.length,
    runs: runner.count(),
    isComplete,
    isConfirmed: again?.fails,
    recordings: last.recordings,
    bugs: runner.bugs(),
  };
}

const separateScenarios =
  'the command passes with the rules of all scenarios in one file, whose rules with a chance fire elsewhere; shrink one scenario at a time';

interface Runner {
  run(scenarios: readonly CompiledScenario[], rules: number, limitMs: number | undefined): Promise<TrialResult>;
  count(): number;
  bugs(): readonly string[];
}

function createRunner({ options, files, command, wall, signal, events }: ShrinkTrialsRequest): Runner {
  const bugs = new Set<string>();
  let runs = 0;
  return {
    count: () => runs,
    bugs: () => [...bugs],
    run: async (scenarios, rules, limitMs) => {
      runs += 1;
      events.began(runs, rules);
      const result = await runTrial({
        ...{ options, command, wall, signal, scenarios },
        files: { ...files, serverScenarios: [] },
        environment: {},
        ...(limitMs !== undefined && { limitMs }),
      });
      for (const bug of result.bugs) bugs.add(bug);
      return result;
    },
  };
}

function toAttempt(result: TrialResult, fails: boolean, active: readonly ActiveRule[], { seed }: Options): Attempt {
  return { fails, visits: fails ? readVisits({ ...result, seed }, active) : new Map() };
}

/** Whether the command failed, or had to be ended at the time limit. */
function isFailure({ end, exitCode }: TrialResult): boolean {
  return end !== 'exited' || exitCode !== 0;
}

/** A command that hangs has another failure than one that exits. */
function isSameFailure(first: TrialResult, result: TrialResult): boolean {
  return isFailure(result) && (first.end === 'exited') === (result.end === 'exited');
}

function describeEnd({ end, exitCode }: TrialResult): string {
  return end === 'exited' ? `exit code ${exitCode}` : 'ended at the time limit';
}

function findUnusable({ mistake, exitCode, output }: TrialResult): string | undefined {
  if (mistake !== undefined) return mistake;
  if (exitCode === 0) return undefined;
  return `without the scenario, the command fails too: it ended with ${exitCode}; expected 0. ${toLastLines(output)}`;
}

function describePassing({ requests, output }: TrialResult, text: string): string {
  const unused = requests.length === 0 ? '; it sent no request to the sandbox: does it use SANDBOX_URL?' : '';
  return `${text}, so there is no failure to shrink${unused}. ${toLastLines(output)}`;
}

function describe(rules: readonly NamedRule[], joined: JoinedScenario, scenarios: readonly CompiledScenario[]): string {
  const names = [...new Set(scenarios)].map(({ name }) => name).join(', ');
  return `${rules.length} of ${count(joined.rules.length, 'rule')} of ${names}, with which the command fails.`;
}
