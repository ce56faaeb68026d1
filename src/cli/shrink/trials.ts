/** Runs the command without the scenario, with it, and then with smaller ones. */
import { ConfigError } from '../../config/config-error.ts';
import { formatCount } from '../../lib/format.ts';
import { compileScenario } from '../../scenarios/compile.ts';
import type { CompiledScenario } from '../../scenarios/compiled.ts';
import type { Scenario } from '../../scenarios/types.ts';
import { toLastLines, toSeconds } from '../output/text.ts';
import { type ProgressLine, showLine } from '../trial/progress.ts';
import { toLimitMs } from '../trial/time-limit.ts';
import { runTrial, type TrialResult, type TrialSeries } from '../trial/trial.ts';
import { findPins } from './pins.ts';
import { type JoinedScenario, joinScenarios, type NamedRule, parseRules, toScenario } from './scenario.ts';
import { Search } from './search.ts';

/** The files have the scenarios to shrink. */
export interface ShrinkRequest extends TrialSeries {
  /** Time after which no further run begins, in milliseconds. */
  readonly budgetMs: number;
}

/** The smallest scenario that was found. */
export interface ShrunkScenario {
  readonly scenario: Scenario;
  /** Number of its rules, and into how many they were split. */
  readonly size: string;
  /** Number of rules before. */
  readonly ruleCount: number;
  readonly runs: number;
  /** Whether one more run failed too; undefined if there was none, because the search was ended early. */
  readonly isConfirmed: boolean | undefined;
  readonly recordings: TrialResult['recordings'];
}

export class Shrinker {
  readonly #request: ShrinkRequest;
  readonly #joined: JoinedScenario;
  readonly #scenarios: readonly CompiledScenario[];
  readonly #startedMs: number;
  /** Says how far it is. */
  readonly #line: ProgressLine;
  #count = 0;
  #size: string;
  #limitMs: number | undefined;
  #lastFailed: TrialResult | undefined;

  constructor(request: ShrinkRequest) {
    const { files, io, wall } = request;
    this.#request = request;
    this.#scenarios = [...new Set(files.serverScenarios)];
    this.#joined = joinScenarios(this.#scenarios);
    this.#size = formatCount(this.#joined.rules.length, 'rule');
    this.#startedMs = wall.elapsed();
    this.#line = showLine(io, wall, () => {
      const seconds = toSeconds(wall.elapsed() - this.#startedMs);
      return `field-sandbox: run ${this.#count}, with ${this.#size}, ${seconds}`;
    });
  }

  /**
   * @returns the result, or undefined if it was ended before the first failure
   * @throws ConfigError if there is nothing to shrink
   */
  find(): Promise<ShrunkScenario | undefined> {
    return this.#find().finally(() => this.#line.hide());
  }

  async #find(): Promise<ShrunkScenario | undefined> {
    const without = await this.#run([]);
    if (without.end === 'aborted') return undefined;
    const unusable = findUnusable(without);
    if (unusable !== undefined) throw new ConfigError([unusable]);
    this.#report(`passes without the scenario, ${toSeconds(without.durationMs)}`);
    this.#limitMs = toLimitMs(without.durationMs);
    const failed = await this.#run(this.#scenarios);
    if (failed.end === 'aborted') return undefined;
    if (!isFailure(failed)) throw new ConfigError([describePassing(failed, this.#scenarios)]);
    this.#report(`fails with ${this.#size}: ${describeEnd(failed)}`);
    this.#lastFailed = failed;
    return this.#search(failed);
  }

  async #search(failed: TrialResult): Promise<ShrunkScenario> {
    const { rules, frame } = this.#joined;
    const scenario = parseRules(frame, rules);
    const passes = this.#scenarios.length > 1 && (await this.#fails(rules, failed)) === false;
    if (!scenario || passes) throw new ConfigError([separateScenarios]);
    const pins = findPins(this.#lastFailed ?? failed, await compileScenario(scenario));
    const search = new Search(rules, pins, async (smaller, ruleCount) => {
      if (!(await this.#fails(smaller, failed))) return false;
      const before = this.#size;
      this.#size = toSize(smaller, ruleCount);
      this.#report(before === this.#size ? 'simpler, still fails' : `still fails with ${this.#size}`);
      return true;
    });
    const best = await search.find();
    const isConfirmed = await this.#fails(best, failed);
    const names = this.#scenarios.map(({ name }) => name).join(', ');
    const description = `What is left of ${formatCount(rules.length, 'rule')} of ${names}: with it, the command fails.`;
    return {
      scenario: { ...toScenario(frame, best), description },
      size: this.#size,
      ruleCount: rules.length,
      runs: this.#count,
      isConfirmed,
      recordings: this.#lastFailed?.recordings ?? [],
    };
  }

  /** Whether the command fails under these rules as it did at first. Returns undefined if the time is over. */
  async #fails(rules: readonly NamedRule[], first: TrialResult): Promise<boolean | undefined> {
    const { signal, wall, budgetMs } = this.#request;
    if (signal.aborted || wall.elapsed() - this.#startedMs >= budgetMs) return undefined;
    const scenario = parseRules(this.#joined.frame, rules);
    if (!scenario) return false;
    const result = await this.#run([await compileScenario(scenario)]);
    if (result.end === 'aborted') return undefined;
    // A command that hangs has another failure than one that exits.
    const fails = isFailure(result) && (first.end === 'exited') === (result.end === 'exited');
    if (fails) this.#lastFailed = result;
    return fails;
  }

  async #run(scenarios: readonly CompiledScenario[]): Promise<TrialResult> {
    this.#count += 1;
    return runTrial({
      ...{ ...this.#request, scenarios },
      files: { ...this.#request.files, serverScenarios: [] },
      environment: {},
      ...(this.#limitMs !== undefined && { limitMs: this.#limitMs }),
    });
  }

  #report(text: string): void {
    this.#line.print(`run ${this.#count}: ${text}\n`);
  }
}

/** A rule that depends on chance or a count becomes several, each for the requests at which it fired. */
function toSize({ length }: readonly NamedRule[], ruleCount: number): string {
  const rules = formatCount(ruleCount, 'rule');
  return length > ruleCount ? `${rules} (split into ${length} by request)` : rules;
}

const separateScenarios =
  'the command passes with the rules of all scenarios in one file, whose rules with a chance fire elsewhere; shrink one scenario at a time';

/** Whether the command failed, or had to be ended at the time limit. */
function isFailure({ end, exitCode }: TrialResult): boolean {
  return end !== 'exited' || exitCode !== 0;
}

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
    if (requests.length === 0) return '; it sent no request to the sandbox: it must use SANDBOX_URL';
    if (scenarios.every(({ expectations }) => expectations.length === 0)) return '';
    return '; only its exit code counts, not the expectations of the scenario';
  }
}
