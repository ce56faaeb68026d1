/** Proves that a failure breaks the code before and not the new one: runs the command under it, twice in each tree. */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '../../config/config-error.ts';
import { formatCount } from '../../lib/format.ts';
import { didYouMean } from '../../lib/nearest.ts';
import type { FailureCase } from '../../scenarios/cases.ts';
import type { CompiledScenario } from '../../scenarios/compiled.ts';
import { readSweepFile } from '../../sweep-report/parse.ts';
import { isBad } from '../../sweep-report/verdicts.ts';
import { hideSecrets, toShown } from '../output/hide-secrets.ts';
import { toSeconds } from '../output/text.ts';
import { prepareFolder, toRecordingName, writeRecordings } from '../recordings/folder.ts';
import { type Baseline, runBaseline } from '../sweep/baseline.ts';
import { listCases } from '../sweep/plan.ts';
import { describeTimes } from '../sweep/progress.ts';
import { compileCase } from '../sweep/sweep.ts';
import { type ProgressLine, showLine } from '../trial/progress.ts';
import { runTrial, type TrialResult, type TrialSeries } from '../trial/trial.ts';
import { Trees } from './trees.ts';

/** All verdicts on a fix, and what each means. */
export const proofVerdicts = {
  proven: 'it breaks the code before, and not the new code',
  'not-reproduced': 'the code before survives it, too',
  'not-fixed': 'it still breaks the new code',
  avoided: 'the new code no longer reaches the failure',
  'tests-changed': 'the new code survives it with the changed tests only',
  flaky: 'repetitions differ',
} as const;

export type ProofVerdict = keyof typeof proofVerdicts;

/** Options of `prove` as text. */
export interface ProveTexts {
  readonly before?: string;
  readonly case?: string;
  readonly sweep?: string;
  readonly tests?: string;
  readonly link?: readonly string[];
  readonly setup?: string;
  readonly out?: string;
  readonly json?: string;
  readonly markdown?: string;
}

/** A failure to try. */
interface Failure {
  /** Id of the case, or name of the scenario. */
  readonly id: string;
  readonly scenarios: readonly CompiledScenario[];
  /** The case, if it is one of the code before. */
  readonly case?: FailureCase;
}

/** What became of a failure in one tree. */
interface Side {
  readonly outcome: 'bad' | 'good' | 'not-reached' | 'differs';
  /** Verdict as of a sweep; of two that differ, both. */
  readonly verdict: string;
  readonly recording: { readonly path: string; readonly sha256: string } | null;
}

export interface Proof {
  readonly verdict: ProofVerdict;
  readonly case: string;
  readonly before: Side;
  /** Null if the code before does not fail every time, so that the new code was not tried. */
  readonly after: Side | null;
}

/** A tree whose command passes without a failure. */
interface Tree {
  /** Name for messages; the folder of its recordings has it too. */
  readonly name: 'before' | 'new code' | 'new code, old tests';
  /** Folder in which the command runs; undefined for that of the user. */
  readonly cwd: string | undefined;
  readonly baseline: Baseline;
}

const folderNames = { before: 'before', 'new code': 'after', 'new code, old tests': 'old-tests' } as const;
const ends = { bad: 'not-fixed', 'not-reached': 'avoided', differs: 'flaky' } as const;

/** Ends the proof after a signal. */
export class Stopped extends Error {}

export interface ProveRequest extends TrialSeries {
  readonly texts: ProveTexts;
  /** Ids of the cases to try, if the failure is not a scenario. */
  readonly cases: readonly string[];
}

export class Prover {
  readonly #request: ProveRequest;
  readonly #line: ProgressLine;
  #runs = 0;
  #doing = 'preparing';
  #out = '';

  constructor(request: ProveRequest) {
    const { io, wall } = request;
    const startedMs = wall.elapsed();
    this.#request = request;
    this.#line = showLine(io, wall, () => `field-sandbox: ${this.#doing}, ${toSeconds(wall.elapsed() - startedMs)}`);
  }

  /** Proves a fix of each failure. @throws ConfigError; Stopped after a signal */
  async prove(): Promise<{ readonly proofs: readonly Proof[]; readonly trees: Trees }> {
    const { texts, io, wall, command, options, files, signal } = this.#request;
    const { before = '', tests, link: links = [], setup } = texts;
    let trees: Trees | undefined;
    try {
      trees = await Trees.open({ cwd: process.cwd(), before, tests, links, setup, env: io.env, wall, signal });
      const same = trees.head === trees.commit ? 'itself, without a change' : trees.head.slice(0, 10);
      const state = trees.isDirty ? 'the working tree' : same;
      this.#print(`field-sandbox prove: ${trees.commit.slice(0, 10)} against ${state}: ${toShown(command, options)}`);
      const old = await this.#toTree('before', 'the code before', await trees.before(), trees);
      const cases = listCases(files, old.baseline.operations);
      const fresh = await this.#toTree('new code', 'the new code', undefined, trees);
      const oldTests = await this.#toOldTests(await trees.oldTests());
      const failures = await this.#failures(cases);
      this.#out = texts.out ?? (await mkdtemp(path.join(tmpdir(), 'field-sandbox-recordings-')));
      this.#announce(failures, old.baseline, typeof oldTests === 'object' ? 6 : 4);
      const proofs: Proof[] = [];
      for (const failure of failures) {
        proofs.push(await this.#proveFix(failure, old, fresh, oldTests));
      }
      this.#print(`recordings: ${this.#out}`);
      return { proofs, trees };
    } catch (error) {
      // Nobody learns where they are.
      if (texts.out === undefined && this.#out !== '') await rm(this.#out, { recursive: true, force: true });
      throw error;
    } finally {
      await trees?.close();
      this.#line.hide();
    }
  }

  #print(line: string): void {
    this.#line.print(`${hideSecrets(line, this.#request.options)}\n`);
  }

  /** Runs the command; under a failure, with the limits that follow from a run without it. */
  async #trial(cwd: string | undefined, failure?: Failure, baseline?: Baseline): Promise<TrialResult> {
    const { files, signal } = this.#request;
    if (signal.aborted) throw new Stopped();
    this.#runs += 1;
    this.#doing = `run ${this.#runs}, ${failure?.id ?? 'without a failure'}`;
    const result = await runTrial({
      ...this.#request,
      // Scenarios are the failure itself, or are active in all runs beside a case.
      files: this.#isScenario() ? { ...files, serverScenarios: [] } : files,
      scenarios: failure?.scenarios ?? [],
      environment: { ...(cwd !== undefined && { PWD: cwd }), ...(failure && { SANDBOX_CASE: failure.id }) },
      ...(cwd !== undefined && { cwd }),
      ...baseline?.limits(),
    });
    if (result.end === 'aborted') throw new Stopped();
    // Paths in the tree are those of the user's tree, too.
    return cwd === undefined ? result : { ...result, output: result.output.replaceAll(`${cwd}${path.sep}`, '') };
  }

  /** Whether the scenarios of the options are the failure. */
  #isScenario(): boolean {
    const { texts } = this.#request;
    return texts.case === undefined && texts.sweep === undefined;
  }

  /** Prints how many cases there are, and how long their runs take. */
  #announce(failures: readonly Failure[], baseline: Baseline, runs: number): void {
    const cases = failures.map((failure) => ({ kind: failure.case?.kind ?? failure.id }));
    const { durationMs } = baseline;
    const facts = { jobs: 1, durationMs, limitMs: baseline.limits().limitMs, runs };
    this.#print(
      describeTimes(`${formatCount(cases.length, 'case')}, up to ${runs} runs of each`, cases, facts).trimEnd(),
    );
  }

  async #toTree(name: Tree['name'], code: string, cwd: string | undefined, trees: Trees): Promise<Tree> {
    const baseline = await runBaseline(() => this.#trial(cwd), 1);
    if (!('mistake' in baseline)) return { name, cwd, baseline };
    const failed = `${code} cannot be judged: ${baseline.mistake}`;
    if (cwd === undefined) throw new ConfigError([failed]);
    const missing = await trees.findMissing([baseline.mistake, ...this.#request.command].join(' '));
    const lacks = `. Commit ${trees.commit.slice(0, 10)} lacks ${missing.join(', ')}: untracked, or added later?`;
    const hint = ' Does it need --link node_modules, or --setup "npm ci"?';
    throw new ConfigError([`${failed}${missing.length > 0 ? lacks : '.'}${hint}`]);
  }

  /** Returns the new code with the tests from before; `unusable` if it fails without any failure. */
  async #toOldTests(cwd: string | undefined): Promise<Tree | 'unusable' | undefined> {
    if (cwd === undefined) return undefined;
    const name = 'new code, old tests';
    const baseline = await runBaseline(() => this.#trial(cwd), 1);
    if (!('mistake' in baseline)) return { name, cwd, baseline };
    this.#print(`${name}: ${baseline.mistake}`);
    return 'unusable';
  }

  /** Returns the failures to try. `cases`: those that the code before can meet. */
  async #failures(cases: readonly FailureCase[]): Promise<readonly Failure[]> {
    const { cases: ids, files, options } = this.#request;
    if (this.#isScenario()) return [{ id: options.scenarios.join(' '), scenarios: files.serverScenarios }];
    const toFailure = async (id: string): Promise<Failure> => {
      const found = cases.find((one) => one.id === id);
      if (found) return { id, scenarios: [await compileCase(found)], case: found };
      const suggestion = didYouMean(
        id,
        cases.map((one) => one.id),
      );
      const expected = 'expected OPERATION/KIND/N or OPERATION/KIND/always, of an operation that the command calls';
      throw new ConfigError([`no case ${JSON.stringify(id)}${suggestion}; ${expected}`]);
    };
    return Promise.all(ids.map(toFailure));
  }

  async #proveFix(failure: Failure, old: Tree, fresh: Tree, oldTests: Tree | 'unusable' | undefined): Promise<Proof> {
    const before = await this.#tryTwice(failure, old);
    if (before.outcome !== 'bad') {
      const verdict = before.outcome === 'differs' ? 'flaky' : 'not-reproduced';
      return { verdict, case: failure.id, before, after: null };
    }
    const after = await this.#tryTwice(failure, fresh);
    const verdict = after.outcome === 'good' ? await this.#tryOldTests(failure, oldTests) : ends[after.outcome];
    return { verdict, case: failure.id, before, after };
  }

  /** The tests must not hide the failure: the new code survives it with the tests from before, too. */
  async #tryOldTests(failure: Failure, oldTests: Tree | 'unusable' | undefined): Promise<ProofVerdict> {
    if (oldTests === undefined) return 'proven';
    if (oldTests === 'unusable') return 'tests-changed';
    const { outcome } = await this.#tryTwice(failure, oldTests);
    if (outcome === 'good') return 'proven';
    return outcome === 'differs' ? 'flaky' : 'tests-changed';
  }

  async #tryTwice(failure: Failure, { name, cwd, baseline }: Tree): Promise<Side> {
    const attempt = async () => {
      const result = await this.#trial(cwd, failure, baseline);
      const judged = failure.case ? baseline.judge(failure.case, result) : baseline.judgeScenarios(result);
      const { verdict, detail } = judged;
      const outcome = isBad(verdict) ? 'bad' : verdict === 'not-reached' ? 'not-reached' : 'good';
      return { result, verdict, detail: `${verdict}; ${detail}`, outcome } as const;
    };
    const [first, second] = [await attempt(), await attempt()];
    const isSame = first.outcome === second.outcome;
    this.#print(`${failure.id}, ${name}: ${isSame ? first.detail : `${first.detail}; then: ${second.detail}`}`);
    const folder = path.join(this.#out, failure.id.replaceAll(/[^\w.-]/g, '-'), folderNames[name]);
    return {
      outcome: isSame ? first.outcome : 'differs',
      verdict: isSame ? first.verdict : `${first.verdict}, ${second.verdict}`,
      recording: await writeRecording(folder, failure, first.result),
    };
  }
}

/** Returns the bad cases of a sweep, and adds the mistakes of its file. */
export async function readBadCases(file: string, mistakes: string[]): Promise<readonly string[]> {
  const parsed = await readSweepFile(file);
  const bad = 'report' in parsed ? parsed.report.cases.filter(({ verdict }) => isBad(verdict)) : [];
  if ('mistakes' in parsed) mistakes.push(`--sweep: ${file}: ${parsed.mistakes.join('; ')}`);
  else if (bad.length === 0) mistakes.push(`--sweep: ${file} has no bad case, so there is nothing to prove`);
  return bad.map((one) => one.case);
}

/** Writes the recordings of a run. @returns the one with the first request that met the failure, or else the first */
export async function writeRecording(
  folder: string,
  { scenarios }: Pick<Failure, 'scenarios'>,
  { recordings, requests }: Pick<TrialResult, 'recordings' | 'requests'>,
): Promise<Side['recording']> {
  const stale = await prepareFolder(folder);
  const { files, problems } = await writeRecordings(folder, recordings);
  if (stale.length + problems.length > 0) throw new Error([...stale, ...problems].join('\n'));
  const names = new Set(scenarios.map((one) => one.name));
  const hit = requests.find(({ fired }) => fired.some(({ scenario }) => names.has(scenario)));
  const met = recordings.find(({ recording }) =>
    Array.from(recording.changes).some((change) => 'request' in change && change.id === hit?.id),
  );
  const own = met && files.find((file) => path.basename(file) === toRecordingName(met));
  const file = own ?? files[0];
  if (file === undefined) return null;
  return {
    path: file,
    sha256: createHash('sha256')
      .update(await readFile(file))
      .digest('hex'),
  };
}
