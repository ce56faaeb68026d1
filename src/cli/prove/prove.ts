/** Proves that a failure breaks the code before and not the new one: runs the command under it, twice in each tree. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createFolder } from '../../lib/create-folder.ts';
import type { CompiledScenario } from '../../scenarios/compiled.ts';
import { writeRecordings } from '../recordings/folder.ts';
import type { TrialResult } from '../trial/trial.ts';

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

/** A failure to try. */
export interface Failure {
  /** Id of the case, or name of the scenario. */
  readonly id: string;
  readonly scenarios: readonly CompiledScenario[];
}

/** How a run under a failure ended. */
export interface Judged {
  /** Verdict as of a sweep. */
  readonly verdict: string;
  readonly outcome: 'bad' | 'good' | 'not-reached';
  /** One sentence. */
  readonly detail: string;
}

/** A tree whose command passes without a failure. */
export interface Tree {
  /** Runs its command under a failure. Throws `Stopped` if the proof was ended. */
  run(failure: Failure): Promise<TrialResult>;
  judge(failure: Failure, result: TrialResult): Judged;
}

export interface Recorded {
  readonly path: string;
  readonly sha256: string;
}

/** What became of a failure in one tree. */
export interface Side extends Judged {
  readonly recording: Recorded | null;
}

export interface Proof {
  readonly verdict: ProofVerdict;
  readonly case: string;
  readonly before: Side;
  /** Null if the code before does not fail every time, so that the new code was not tried. */
  readonly after: Side | null;
}

export interface ProofParts {
  readonly before: Tree;
  readonly after: Tree;
  /** The new code with the tests from before; `unusable` if it fails without any failure. */
  readonly oldTests: Tree | 'unusable' | undefined;
  /** Folder for recordings. */
  readonly out: string;
  /** Called after each side, with a line about it. */
  report(line: string): void;
}

export async function prove(failure: Failure, parts: ProofParts): Promise<Proof> {
  const before = await tryTwice(failure, parts.before, parts, 'before');
  const early = before.outcome === 'good' || before.outcome === 'not-reached' ? 'not-reproduced' : undefined;
  const first = before.outcome === 'differs' ? 'flaky' : early;
  if (first) return { verdict: first, case: failure.id, before: before.side, after: null };
  const after = await tryTwice(failure, parts.after, parts, 'after');
  const verdict = after.outcome === 'good' ? await tryOldTests(failure, parts) : ends[after.outcome];
  return { verdict, case: failure.id, before: before.side, after: after.side };
}

const ends = { bad: 'not-fixed', 'not-reached': 'avoided', differs: 'flaky' } as const;

/** The tests must not hide the failure: the new code survives it with the tests from before, too. */
async function tryOldTests(failure: Failure, parts: ProofParts): Promise<ProofVerdict> {
  const { oldTests } = parts;
  if (oldTests === undefined) return 'proven';
  if (oldTests === 'unusable') return 'tests-changed';
  const { outcome } = await tryTwice(failure, oldTests, parts, 'old-tests');
  if (outcome === 'good') return 'proven';
  return outcome === 'differs' ? 'flaky' : 'tests-changed';
}

interface Tried {
  readonly outcome: Judged['outcome'] | 'differs';
  readonly side: Side;
}

const sideNames = { before: 'before', after: 'new code', 'old-tests': 'new code, old tests' } as const;

async function tryTwice(
  failure: Failure,
  tree: Tree,
  { out, report }: ProofParts,
  name: keyof typeof sideNames,
): Promise<Tried> {
  const result = await tree.run(failure);
  const first = tree.judge(failure, result);
  const second = tree.judge(failure, await tree.run(failure));
  const isSame = first.outcome === second.outcome;
  report(`${failure.id}, ${sideNames[name]}: ${isSame ? first.detail : `${first.detail}; then: ${second.detail}`}`);
  const verdict = isSame ? first.verdict : `${first.verdict}, ${second.verdict}`;
  const folder = path.join(out, failure.id.replaceAll(/[^\w.-]/g, '-'), name);
  const recording = await writeRecording(folder, failure, result);
  return { outcome: isSame ? first.outcome : 'differs', side: { ...first, verdict, recording } };
}

/** Writes the recordings of a run. @returns the one of the project that met the failure, or else the first */
async function writeRecording(
  folder: string,
  { scenarios }: Failure,
  { recordings, requests }: TrialResult,
): Promise<Recorded | null> {
  createFolder(folder);
  const { files, problems } = await writeRecordings(folder, recordings);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const names = new Set(scenarios.map((one) => one.name));
  const hit = requests.find(({ fired }) => fired.some(({ scenario }) => names.has(scenario)));
  const own = hit && files.find((file) => path.basename(file) === `${hit.project}.json`);
  const file = own ?? files[0];
  if (file === undefined) return null;
  return {
    path: file,
    sha256: createHash('sha256')
      .update(await readFile(file))
      .digest('hex'),
  };
}
