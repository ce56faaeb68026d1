/** `field-sandbox shrink`: finds a smallest scenario with which a command still fails. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Options } from '../../config/option-table.ts';
import type { OptionTexts } from '../../config/options.ts';
import { readSandboxFiles } from '../../config/sandbox-files.ts';
import { createFolder } from '../../lib/create-folder.ts';
import { toWord } from '../../lib/shell-word.ts';
import { createWallClock } from '../../lib/time.ts';
import { type Io, printTo, writeAll } from '../frame/io.ts';
import { hideSecrets, toCommandLine, toShown } from '../output/hide-secrets.ts';
import { clearReport } from '../output/report-file.ts';
import { count, printMistakes } from '../output/text.ts';
import { writeRecordings } from '../recordings/folder.ts';
import { toRepeatOptions } from '../trial/repeat-options.ts';
import { createStopper } from '../trial/stopper.ts';
import { parseTime } from '../trial/time-limit.ts';
import { withOptions } from '../trial/with-options.ts';
import { toYaml } from './scenario.ts';
import { type ShrunkScenario, shrinkCommand } from './trials.ts';

export interface ShrinkInput {
  /** Options of `run`. */
  readonly given: OptionTexts;
  readonly out: string;
  readonly budget: string | undefined;
  /** The command and its arguments; undefined if there was no `--`. */
  readonly command: readonly string[] | undefined;
  readonly io: Io;
}

/** First text of every file that is written, by which an older one is recognized. */
const beginning = '# Shrunk by field-sandbox.';

/** @returns the exit code: 0 with a smallest scenario, 1 if it does not fail every time, 2 without a failure to shrink */
export function runShrink({ given, out, budget, command, io }: ShrinkInput): Promise<number> {
  const budgetMs = parseTime('--budget', budget);
  const check = async (options: Options | undefined): Promise<readonly string[]> => [
    ...(options ? checkScenarios(options, out) : []),
    ...(typeof budgetMs === 'string' ? [budgetMs] : []),
  ];
  const example = 'shrink --scenario FILE -- npm test';
  return withOptions({ given, command, example, check }, io, ({ options }, words) =>
    shrinkWith(options, { out, budgetMs: Number(budgetMs ?? Number.POSITIVE_INFINITY), command: words, io }),
  );
}

function checkScenarios({ scenarios, scenarioYaml }: Options, out: string): readonly string[] {
  const isInput = scenarios.some((scenario) => path.resolve(scenario) === path.resolve(out));
  return [
    ...(scenarios.length === 0 && scenarioYaml === undefined
      ? ['expected --scenario FILE: the scenario with which the command fails']
      : []),
    ...(isInput ? [`--out: ${out} is the scenario to shrink; expected another file`] : []),
  ];
}

interface Given {
  readonly out: string;
  readonly budgetMs: number;
  readonly command: readonly string[];
  readonly io: Io;
}

async function shrinkWith(options: Options, { out, budgetMs, command, io }: Given): Promise<number> {
  const fail = (mistakes: readonly string[]): number => printMistakes(mistakes, printTo(io.stderr));
  const wall = createWallClock();
  const files = await readSandboxFiles(options);
  const unwritable = await clearReport('--out', out, beginning);
  if (unwritable.length > 0) return fail(unwritable);
  const stopper = createStopper();
  printTo(io.stderr)(`field-sandbox shrink: ${toShown(command, options)}\n`);
  try {
    const shrunk = await shrinkCommand({ options, files, command, io, wall, budgetMs, signal: stopper.signal });
    if (shrunk && 'mistakes' in shrunk) return fail(shrunk.mistakes.map((mistake) => hideSecrets(mistake, options)));
    const isWritten = shrunk !== undefined && (await write(shrunk, { options, out, command, io }));
    return stopper.code() ?? (isWritten && shrunk.isConfirmed !== false && shrunk.bugs.length === 0 ? 0 : 1);
  } finally {
    stopper.dispose();
  }
}

/** Writes the scenario and its recordings, and prints both. @returns whether the files could be written */
async function write(
  shrunk: ShrunkScenario,
  { options, out, command, io }: Omit<Given, 'budgetMs'> & { readonly options: Options },
): Promise<boolean> {
  const printError = printTo(io.stderr);
  const more = toRepeatOptions({ ...options, scenarios: [] });
  const words = ['field-sandbox run --scenario', toWord(out), ...(more === undefined ? [] : [more])];
  const repeat = `${words.join(' ')} -- ${toCommandLine(command, options)}`;
  const yaml = toYaml(shrunk.scenario);
  try {
    await writeFile(out, `${beginning} Repeat the failure:\n# ${repeat}\n${yaml}`);
    const folder = toFolder(out);
    if (shrunk.recordings.length > 0) createFolder(folder);
    const { files, problems } = await writeRecordings(folder, shrunk.recordings);
    for (const problem of problems) printError(`--out: ${problem}\n`);
    const text = [yaml, toSummary(shrunk, out), ...files.map((file) => `recording: ${file}`), '', repeat, ''];
    await writeAll(io.stdout, hideSecrets(text.join('\n'), options));
  } catch (error) {
    const { code, path: file = out } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    printError(`--out: ${file} cannot be written (${code})\n`);
    return false;
  }
  for (const warning of toWarnings(shrunk)) printError(`${warning}\n`);
  return true;
}

/** Returns the folder of the recordings: it has the name of the scenario file. */
function toFolder(out: string): string {
  const { dir, name, ext } = path.parse(out);
  return path.join(dir, ext === '' ? `${name}.recordings` : name);
}

function toSummary({ scenario, ruleCount, runs }: ShrunkScenario, out: string): string {
  return `${out}: ${count(scenario.rules.length, 'rule')} instead of ${ruleCount}, after ${count(runs, 'run')} of the command`;
}

function toWarnings({ isComplete, isConfirmed, bugs }: ShrunkScenario): readonly string[] {
  return [
    ...bugs.map((bug) => `bug in the sandbox, not in your code: ${bug}`),
    ...(isComplete ? [] : ['ended early: a smaller scenario may fail too']),
    ...(isConfirmed === false ? ['one more run passed: with this scenario, the command does not fail every time'] : []),
  ];
}
