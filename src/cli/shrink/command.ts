/** `field-sandbox shrink`: finds a smallest scenario with which a command still fails. */
import path from 'node:path';
import { ConfigError } from '../../config/config-error.ts';
import type { Options } from '../../config/option-table.ts';
import { formatCount } from '../../lib/format.ts';
import { toWord } from '../../lib/shell-word.ts';
import { createWallClock } from '../../lib/time.ts';
import type { Given } from '../frame/command.ts';
import { type Io, printTo, writeAll } from '../frame/io.ts';
import { hideSecrets, toCommandLine, toShown } from '../output/hide-secrets.ts';
import { clearReports, writeReport } from '../output/report-file.ts';
import { untilStopped } from '../process/signals.ts';
import { prepareFolder, writeRecordings } from '../recordings/folder.ts';
import { toRepeatOptions } from '../trial/repeat-options.ts';
import { parseTime } from '../trial/time-limit.ts';
import { withOptions } from '../trial/with-options.ts';
import { toYaml } from './scenario.ts';
import { Shrinker, type ShrinkRequest, type ShrunkScenario } from './trials.ts';

/** Options of `shrink` as text. */
export interface ShrinkTexts {
  readonly out?: string;
  readonly budget?: string;
}

/** First text of every file that is written, by which an older one is recognized. */
const beginning = '# Shrunk by field-sandbox.';

/**
 * @returns the exit code: 0 with a smallest scenario, 1 if it does not fail every time
 * @throws ConfigError without a failure to shrink
 */
export function runShrink({ sandbox, own, command }: Given<ShrinkTexts>, io: Io): Promise<number> {
  const { out = 'shrunk.yaml', budget } = own;
  const example = 'shrink --scenario FILE -- npm test';
  const read = async (mistakes: string[], parsed: { readonly options: Options } | undefined): Promise<number> => {
    if (parsed) mistakes.push(...checkScenarios(parsed.options, out));
    return parseTime('--budget', budget, mistakes) ?? Number.POSITIVE_INFINITY;
  };
  return withOptions({ sandbox, command, example, read }, io, async (prepared) => {
    const { options, command: words, own: budgetMs } = prepared;
    const unwritable = (await prepareFolder(toFolder(out), true)).map((problem) => `--out: ${problem}`);
    await clearReports(unwritable, [['--out', out, beginning]]);
    if (unwritable.length === 0) unwritable.push(...(await prepareFolder(toFolder(out))));
    if (unwritable.length > 0) throw new ConfigError(unwritable);
    printTo(io.stderr)(`field-sandbox shrink: ${toShown(words, options)}\n`);
    return untilStopped(io, async (signal) => {
      const request = { ...prepared, budgetMs, io, wall: createWallClock(), signal };
      const shrunk = await new Shrinker(request).find();
      if (!shrunk) printTo(io.stderr)('ended before the command had failed under the scenario: nothing is written\n');
      const isWritten = shrunk !== undefined && (await write(shrunk, request, out, io));
      return isWritten && shrunk.isConfirmed !== false ? 0 : 1;
    });
  });
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

/** Writes the scenario and its recordings, and prints both. @returns whether the files could be written */
async function write(
  shrunk: ShrunkScenario,
  { options, command }: ShrinkRequest,
  out: string,
  io: Io,
): Promise<boolean> {
  const more = toRepeatOptions({ ...options, scenarios: [] });
  const words = ['field-sandbox run --scenario', toWord(out), ...(more === undefined ? [] : [more])];
  const repeat = `${words.join(' ')} -- ${toCommandLine(command, options)}`;
  const yaml = toYaml(shrunk.scenario);
  const unwritten = await writeReport('--out', out, `${beginning} Repeat the failure:\n# ${repeat}\n${yaml}`);
  const { files, problems } = await writeRecordings(toFolder(out), shrunk.recordings);
  unwritten.push(...problems.map((problem) => `--out: ${problem}`));
  const text = [yaml, toSummary(shrunk, out), ...files.map((file) => `recording: ${file}`), '', repeat, ''];
  await writeAll(io.stdout, hideSecrets(text.join('\n'), options));
  for (const line of [...unwritten, ...toWarnings(shrunk)]) printTo(io.stderr)(`${line}\n`);
  return unwritten.length === 0;
}

/** Returns the folder of the recordings: it has the name of the scenario file. */
function toFolder(out: string): string {
  const { dir, name, ext } = path.parse(out);
  return path.join(dir, ext === '' ? `${name}.recordings` : name);
}

function toSummary({ size, ruleCount, runs }: ShrunkScenario, out: string): string {
  return `${out}: ${size} instead of ${ruleCount}, after ${formatCount(runs, 'run')} of the command`;
}

function toWarnings({ isConfirmed }: ShrunkScenario): readonly string[] {
  return [
    ...(isConfirmed === undefined ? ['ended early: a smaller scenario may fail too'] : []),
    ...(isConfirmed === false ? ['one more run passed: with this scenario, the command does not fail every time'] : []),
  ];
}
