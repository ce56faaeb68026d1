/** Runs the command under rules, and says whether it failed in the same way as before. */
import type { Options } from '../../config/option-table.ts';
import type { SandboxFiles } from '../../config/sandbox-files.ts';
import type { WallClock } from '../../lib/time.ts';
import { compileScenario } from '../../scenarios/compile.ts';
import type { CompiledScenario } from '../../scenarios/compiled.ts';
import type { Io } from '../frame/io.ts';
import { runTrial, type TrialResult } from '../trial/trial.ts';
import type { Attempt, NamedRule } from './attempt.ts';
import { type JoinedScenario, parseRules } from './scenario.ts';
import { type ActiveRule, readVisits } from './visits/visits.ts';

export interface ShrinkTrialsRequest {
  readonly options: Options;
  /** With the scenarios to shrink. */
  readonly files: SandboxFiles;
  readonly command: readonly string[];
  readonly io: Pick<Io, 'stderr' | 'env'>;
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

/** The run with all rules, and what each further run needs. */
export interface Started {
  readonly joined: JoinedScenario;
  readonly failed: TrialResult;
  readonly limitMs: number;
  readonly runner: Runner;
  readonly startedMs: number;
}

export interface Attempts {
  /** Runs the command under rules. Returns undefined if the time is over. */
  run(rules: readonly NamedRule[]): Promise<Attempt | undefined>;
  /** Returns the last run that failed, which had the smallest scenario so far. */
  lastFailed(): TrialResult;
}

export function createAttempts(
  { joined, failed, limitMs, runner }: Started,
  options: Options,
  isOver: () => boolean,
): Attempts {
  let last = failed;
  return {
    lastFailed: () => last,
    run: async (rules) => {
      if (isOver()) return undefined;
      const scenario = parseRules(joined.frame, rules);
      if (!scenario) throw new Error('a smaller scenario is not valid');
      const compiled = await compileScenario(scenario);
      const result = await runner.run([compiled], rules.length, limitMs);
      if (result.end === 'aborted') return undefined;
      const fails = isSameFailure(failed, result);
      if (fails) last = result;
      const active = compiled.rules.map((rule): ActiveRule => ({ name: rule.name, rule }));
      return toAttempt(result, fails, active, options);
    },
  };
}

export interface Runner {
  run(scenarios: readonly CompiledScenario[], rules: number, limitMs: number | undefined): Promise<TrialResult>;
  count(): number;
  bugs(): readonly string[];
}

export function createRunner({ options, files, command, io, wall, signal, events }: ShrinkTrialsRequest): Runner {
  const bugs = new Set<string>();
  let runs = 0;
  return {
    count: () => runs,
    bugs: () => [...bugs],
    run: async (scenarios, rules, limitMs) => {
      runs += 1;
      events.began(runs, rules);
      const result = await runTrial({
        ...{ options, command, io, wall, signal, scenarios },
        files: { ...files, serverScenarios: [] },
        environment: {},
        ...(limitMs !== undefined && { limitMs }),
      });
      for (const bug of result.bugs) bugs.add(bug);
      return result;
    },
  };
}

export function toAttempt(
  result: TrialResult,
  fails: boolean,
  active: readonly ActiveRule[],
  { seed }: Options,
): Attempt {
  return { fails, visits: fails ? readVisits({ ...result, seed }, active) : new Map() };
}

type Ended = Pick<TrialResult, 'end' | 'exitCode'>;

/** Whether the command failed, or had to be ended at the time limit. */
export function isFailure({ end, exitCode }: Ended): boolean {
  return end !== 'exited' || exitCode !== 0;
}

/** A command that hangs has another failure than one that exits. */
function isSameFailure(first: Ended, result: Ended): boolean {
  return isFailure(result) && (first.end === 'exited') === (result.end === 'exited');
}
