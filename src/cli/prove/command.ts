/** `field-sandbox prove`: shows that a failure breaks the code of a commit, and not the code of today. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '../../config/config-error.ts';
import type { Options } from '../../config/option-table.ts';
import { readSandboxFiles } from '../../config/sandbox-files.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { readTextFile } from '../../lib/text-file.ts';
import { createWallClock } from '../../lib/time.ts';
import type { FailureCase } from '../../scenarios/cases.ts';
import { parseSweepText } from '../../sweep-report/parse.ts';
import { isBad } from '../../sweep-report/verdicts.ts';
import type { Given } from '../frame/command.ts';
import { type Io, printTo, writeAll } from '../frame/io.ts';
import { hideSecrets, toShown } from '../output/hide-secrets.ts';
import { toRows } from '../output/markdown.ts';
import { clearReport, writeReport } from '../output/report-file.ts';
import { untilStopped } from '../process/signals.ts';
import { type Baseline, runBaseline } from '../sweep/baseline.ts';
import { listCases } from '../sweep/plan.ts';
import { compileCase } from '../sweep/sweep.ts';
import { runTrial, type TrialResult, type TrialSeries } from '../trial/trial.ts';
import { withOptions } from '../trial/with-options.ts';
import { type Failure, type Proof, proofVerdicts, prove, type Tree } from './prove.ts';
import { Trees } from './trees.ts';

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

const markdownBeginning = '# Proof of a fix';

/** @returns the exit code: 0 if every fix is proven, 1 if one is not. @throws ConfigError for wrong use or no baseline */
export function runProve({ sandbox, own: texts, command }: Given<ProveTexts>, io: Io): Promise<number> {
  const read = async (mistakes: string[], parsed: { readonly options: Options } | undefined): Promise<void> => {
    checkTexts(texts, mistakes, (parsed?.options.scenarios ?? []).length > 0);
    mistakes.push(
      ...(await clearReport('--json', texts.json, '{')),
      ...(await clearReport('--markdown', texts.markdown, markdownBeginning, io.env)),
    );
  };
  return withOptions({ sandbox, command, example: 'prove … -- npm test', read }, io, ({ options, command }) =>
    untilStopped(async (signal) => {
      try {
        const files = await readSandboxFiles(options);
        const request = { options, files, texts, command, io, wall: createWallClock(), signal };
        const { proofs, trees } = await new Run(request).prove();
        return await report(proofs, trees, request);
      } catch (error) {
        if (error instanceof Stopped) return 1;
        throw error;
      }
    }),
  );
}

function checkTexts({ before, sweep, case: one }: ProveTexts, mistakes: string[], hasScenario: boolean): void {
  if (!before) mistakes.push('--before: expected the commit with the failure, such as HEAD or HEAD~1');
  if (one === undefined && sweep === undefined && !hasScenario)
    mistakes.push('expected the failure: --case CASE, --scenario FILE, or --sweep FILE with the cases of a sweep');
  if (one !== undefined && sweep !== undefined) mistakes.push('--case: expected either --case or --sweep, got both');
}

/** Ends the proof after a signal. */
class Stopped extends Error {}

interface Request extends TrialSeries {
  readonly texts: ProveTexts;
  readonly io: Io;
}

type TreeFacts = Pick<Trees, 'commit' | 'head' | 'isDirty'>;

class Run {
  readonly #request: Request;
  /** Cases by id, which the code before can meet. */
  readonly #cases = new Map<string, FailureCase>();

  constructor(request: Request) {
    this.#request = request;
  }

  async prove(): Promise<{ readonly proofs: readonly Proof[]; readonly trees: TreeFacts }> {
    const { texts, io, wall, command, options } = this.#request;
    const { before = '', tests, link: links = [], setup } = texts;
    const trees = await Trees.open({ cwd: process.cwd(), before, tests, links, setup, env: io.env, wall });
    try {
      const state = trees.isDirty ? 'the working tree' : trees.head.slice(0, 10);
      this.#print(`field-sandbox prove: ${trees.commit.slice(0, 10)} against ${state}: ${toShown(command, options)}`);
      const oldFolder = await trees.before();
      const old = await this.#baseline(oldFolder, 'the code before');
      for (const one of listCases(this.#request.files, old.operations)) this.#cases.set(one.id, one);
      const after = await this.#baseline(undefined, 'the new code');
      const out = texts.out ?? (await mkdtemp(path.join(tmpdir(), 'field-sandbox-recordings-')));
      const parts = {
        before: this.#tree(oldFolder, old),
        after: this.#tree(undefined, after),
        oldTests: await this.#oldTests(await trees.oldTests()),
        out,
        report: (line: string) => this.#print(line),
      };
      const proofs: Proof[] = [];
      for (const failure of await this.#failures()) proofs.push(await prove(failure, parts));
      this.#print(`recordings: ${out}`);
      return { proofs, trees };
    } finally {
      await trees.close();
    }
  }

  #print(line: string): void {
    printTo(this.#request.io.stderr)(`${hideSecrets(line, this.#request.options)}\n`);
  }

  /** Runs the command; under a failure, with the limits that follow from a run without it. */
  async #trial(cwd: string | undefined, failure?: Failure, baseline?: Baseline): Promise<TrialResult> {
    const { options, files, command, io, wall, signal } = this.#request;
    const result = await runTrial({
      ...{ options, command, io, wall, signal },
      // Scenarios are the failure itself, or are active in all runs beside a case.
      files: this.#isScenario() ? { ...files, serverScenarios: [] } : files,
      scenarios: failure?.scenarios ?? [],
      environment: { ...(cwd !== undefined && { PWD: cwd }), ...(failure && { SANDBOX_CASE: failure.id }) },
      ...(cwd !== undefined && { cwd }),
      ...baseline?.limits(),
    });
    if (result.end === 'aborted') throw new Stopped();
    return result;
  }

  /** Whether the scenarios of the options are the failure. */
  #isScenario(): boolean {
    const { texts } = this.#request;
    return texts.case === undefined && texts.sweep === undefined;
  }

  async #baseline(cwd: string | undefined, name: string): Promise<Baseline> {
    const baseline = await runBaseline(() => this.#trial(cwd), 1);
    if (!('mistake' in baseline)) return baseline;
    const hint = cwd === undefined ? '' : '. Does it need --link node_modules, or --setup "npm ci"?';
    throw new ConfigError([`${name} cannot be judged: ${baseline.mistake}${hint}`]);
  }

  async #oldTests(cwd: string | undefined): Promise<Tree | 'unusable' | undefined> {
    if (cwd === undefined) return undefined;
    const baseline = await runBaseline(() => this.#trial(cwd), 1);
    if (!('mistake' in baseline)) return this.#tree(cwd, baseline);
    this.#print(`new code, old tests: ${baseline.mistake}`);
    return 'unusable';
  }

  /** Returns the failures to try. */
  async #failures(): Promise<readonly Failure[]> {
    const { texts, files, options } = this.#request;
    if (this.#isScenario()) {
      const id = options.scenarios.join(' ');
      return [{ id, scenarios: files.serverScenarios }];
    }
    const ids = texts.sweep === undefined ? [texts.case ?? ''] : await readBadCases(texts.sweep);
    return Promise.all(ids.map((id) => this.#toFailure(id)));
  }

  async #toFailure(id: string): Promise<Failure> {
    const found = this.#cases.get(id);
    if (!found) {
      const known = [...this.#cases.keys()];
      const expected = 'expected OPERATION/KIND/N or OPERATION/KIND/always, of an operation that the command calls';
      throw new ConfigError([`no case ${JSON.stringify(id)}${didYouMean(id, known)}; ${expected}`]);
    }
    return { id, scenarios: [await compileCase(found)] };
  }

  #tree(cwd: string | undefined, baseline: Baseline): Tree {
    return {
      run: (failure) => this.#trial(cwd, failure, baseline),
      judge: ({ id, scenarios }, result) => {
        const found = this.#cases.get(id);
        const judged = found ? baseline.judge(found, result) : baseline.judgeScenarios(scenarios, result);
        const { verdict, detail } = judged;
        const outcome = isBad(verdict) ? 'bad' : verdict === 'not-reached' ? 'not-reached' : 'good';
        return { verdict, detail: `${verdict}; ${detail}`, outcome };
      },
    };
  }
}

async function readBadCases(file: string): Promise<readonly string[]> {
  const read = await readTextFile(file);
  if ('reason' in read) throw new ConfigError([`--sweep: ${file}: ${read.reason}`]);
  const parsed = parseSweepText(read.text);
  if (!('report' in parsed)) throw new ConfigError([`--sweep: ${file}: ${parsed.mistakes.join('; ')}`]);
  const bad = parsed.report.cases.filter(({ verdict }) => isBad(verdict));
  if (bad.length === 0) throw new ConfigError([`--sweep: ${file} has no bad case, so there is nothing to prove`]);
  return bad.map((one) => one.case);
}

/** Prints the proofs and writes their files. @returns the exit code */
async function report(proofs: readonly Proof[], trees: TreeFacts, { options, texts, io }: Request): Promise<number> {
  const isOne = texts.sweep === undefined;
  const head = ['case', 'before', 'after', 'verdict', 'meaning'];
  const rows = proofs.map(({ verdict, case: id, before, after }) => {
    return [id, before.verdict, after?.verdict ?? 'not tried', verdict, proofVerdicts[verdict]];
  });
  const proven = proofs.filter(({ verdict }) => verdict === 'proven').length;
  const summary = isOne ? `${proofs[0]?.verdict}: ${rows[0]?.at(-1)}` : `${proven} of ${proofs.length} proven`;
  await writeAll(io.stdout, hideSecrets(`${toTable([head, ...rows])}\n${summary}\n`, options));
  const json = proofs.map((proof) => toJson(proof, trees, options));
  const verdict = proofs.find((one) => one.verdict !== 'proven')?.verdict ?? 'proven';
  const shown = isOne ? json[0] : { verdict, proofs: json };
  const markdown = `${markdownBeginning}\n\n**${summary}**\n\n${toRows(head, rows)}\n`;
  const problems = [
    ...(await writeReport('--json', texts.json, hideSecrets(`${JSON.stringify(shown, null, 2)}\n`, options))),
    ...(await writeReport('--markdown', texts.markdown, hideSecrets(markdown, options), io.env)),
  ];
  for (const problem of problems) printTo(io.stderr)(`${problem}\n`);
  return verdict === 'proven' && problems.length === 0 ? 0 : 1;
}

function toTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function toJson({ verdict, case: id, before, after }: Proof, { commit, head, isDirty }: TreeFacts, { seed }: Options) {
  const { verdict: old, recording } = before;
  return {
    ...{ verdict, case: id, seed },
    before: { commit, verdict: old, recording },
    after: { commit: head, dirty: isDirty, verdict: after?.verdict ?? null, recording: after?.recording ?? null },
  };
}
