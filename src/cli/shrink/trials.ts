/** Runs the command without the scenario, with it, and then with smaller ones. */
import type { CompiledScenario } from '../../scenarios/compiled.ts';
import type { Scenario } from '../../scenarios/types.ts';
import { count, toLastLines } from '../output/text.ts';
import { toLimitMs } from '../trial/time-limit.ts';
import type { TrialResult } from '../trial/trial.ts';
import {
  createAttempts,
  createRunner,
  isFailure,
  type ShrinkTrialsRequest,
  type Started,
  toAttempt,
} from './run-rules.ts';
import { joinScenarios, parseRules, toScenario } from './scenario.ts';
import { shrink } from './shrink.ts';

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
  const scenarios = request.files.serverScenarios;
  const joined = joinScenarios(scenarios);
  const startedMs = request.wall.elapsed();
  const runner = createRunner(request);
  const without = await runner.run([], 0, undefined);
  if (without.end === 'aborted') return undefined;
  const unusable = findUnusable(without);
  if (unusable !== undefined) return { mistakes: [unusable] };
  request.events.found(1, `passes without the scenario, ${(without.durationMs / 1000).toFixed(1)} s`);
  const limitMs = toLimitMs(without.durationMs);
  const failed = await runner.run(scenarios, joined.rules.length, limitMs);
  if (failed.end === 'aborted') return undefined;
  if (!isFailure(failed)) return { mistakes: [describePassing(failed, scenarios)] };
  request.events.found(2, `fails with ${count(joined.rules.length, 'rule')}: ${describeEnd(failed)}`);
  return search(request, { joined, failed, limitMs, runner, startedMs });
}

async function search(
  { files, wall, signal, budgetMs = Number.POSITIVE_INFINITY, events, options }: ShrinkTrialsRequest,
  started: Started,
): Promise<ShrunkScenario | { readonly mistakes: readonly string[] }> {
  const { joined, failed, runner } = started;
  const scenarios = new Set(files.serverScenarios);
  const isOver = (): boolean => signal.aborted || wall.elapsed() - started.startedMs >= budgetMs;
  const attempts = createAttempts(started, options, isOver);
  if (scenarios.size > 1 && (await attempts.run(joined.rules))?.fails === false)
    return { mistakes: [separateScenarios] };
  let ruleCount = joined.rules.length;
  const best = await shrink({
    first: { rules: joined.rules, attempt: toAttempt(failed, true, joined.active, options) },
    isValid: (rules) => parseRules(joined.frame, rules) !== undefined,
    run: async (rules) => {
      const attempt = await attempts.run(rules);
      if (!attempt?.fails) return attempt;
      const isFewer = rules.length !== ruleCount;
      ruleCount = rules.length;
      events.found(runner.count(), isFewer ? `still fails with ${count(ruleCount, 'rule')}` : 'simpler, still fails');
      return attempt;
    },
  });
  const again = await attempts.run(best.rules);
  const names = [...scenarios].map(({ name }) => name).join(', ');
  const description = `What is left of ${count(joined.rules.length, 'rule')} of ${names}: with it, the command fails.`;
  return {
    scenario: { ...toScenario(joined.frame, best.rules), description },
    ruleCount: joined.rules.length,
    runs: runner.count(),
    isComplete: again !== undefined,
    isConfirmed: again?.fails,
    recordings: attempts.lastFailed().recordings,
    bugs: runner.bugs(),
  };
}

const separateScenarios =
  'the command passes with the rules of all scenarios in one file, whose rules with a chance fire elsewhere; shrink one scenario at a time';

function describeEnd({ end, exitCode }: TrialResult): string {
  return end === 'exited' ? `exit code ${exitCode}` : 'ended at the time limit';
}

function findUnusable({ mistake, exitCode, output }: TrialResult): string | undefined {
  if (mistake !== undefined) return mistake;
  if (exitCode === 0) return undefined;
  return `without the scenario, the command fails too: it ended with ${exitCode}; expected 0. ${toLastLines(output)}`;
}

function describePassing({ requests, output }: TrialResult, scenarios: readonly CompiledScenario[]): string {
  const shown = output.trim() === '' ? '' : `. ${toLastLines(output)}`;
  return `with the scenario, the command passes too, so there is no failure to shrink${explain()}${shown}`;

  function explain(): string {
    if (requests.length === 0) return '; it sent no request to the sandbox: does it use SANDBOX_URL?';
    if (scenarios.every(({ expectations }) => expectations.length === 0)) return '';
    return '; only its exit code counts, not the expectations of the scenario';
  }
}
