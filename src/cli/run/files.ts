/** Checks the files that a run writes, and writes them: report, JUnit XML, coverage and recordings. */

import type { Options } from '../../config/option-table.ts';
import { markdownBeginning, parsePercent, toMarkdown } from '../coverage/texts.ts';
import { type Io, printTo, writeAll } from '../frame/io.ts';
import { hideSecrets } from '../output/hide-secrets.ts';
import { clearReport, junitBeginning, writeJunit, writeReport } from '../output/report-file.ts';
import { paintFor, toSeconds } from '../output/text.ts';
import type { RecordingCollector } from '../recordings/collect.ts';
import { prepareFolder, writeRecordings } from '../recordings/folder.ts';
import { toProperties } from '../trial/repeat-options.ts';
import { type RunSummary, runSuiteName, toExitCode, toRecordingLines, toReport, toRunSuites } from './report.ts';

/** The files that a run writes, and what decides about them. */
export interface RunFiles {
  /** File for the report as JUnit XML. */
  readonly junit?: string;
  /** File for the coverage report as Markdown. */
  readonly coverage?: string;
  /** Minimum coverage, in percent. */
  readonly minCoverage?: string;
  /** Folder for the recordings of all projects. */
  readonly record?: string;
  /** Whether to write the recordings only if the run fails. */
  readonly recordOnFailure?: boolean;
}

/**
 * Checks the options of the reports, adds their mistakes to those of all others, and deletes older reports and recordings.
 * @returns the minimum in percent
 */
export async function checkReports(
  { junit, coverage, minCoverage, record, recordOnFailure }: RunFiles,
  mistakes: string[],
  env: NodeJS.ProcessEnv,
): Promise<number | undefined> {
  mistakes.push(
    ...(await clearReport('--junit', junit, junitBeginning)),
    ...(await clearReport('--coverage', coverage, markdownBeginning, env)),
  );
  if (recordOnFailure && record === undefined)
    mistakes.push('--record-on-failure: needs the folder of the recordings; add --record DIR');
  const minPercent = parsePercent('--min-coverage', minCoverage, mistakes);
  const problems = record === undefined ? [] : await prepareFolder(record);
  mistakes.push(...problems.map((problem) => `--record: ${problem}`));
  return minPercent;
}

/** The recordings that were written, and why others could not be. */
type Recorded = Awaited<ReturnType<typeof writeRecordings>>;

/** Writes the recordings of a run, unless it passed and only failures are recorded. */
export async function writeRecordingsOf(
  run: RunSummary | number,
  collector: RecordingCollector,
  { record = '', recordOnFailure }: RunFiles,
): Promise<Recorded | undefined> {
  const code = typeof run === 'number' ? run : toExitCode(run);
  const lives = collector.finish();
  if (recordOnFailure && code === 0) return undefined;
  const { files, problems } = await writeRecordings(record, lives);
  return { files, problems: problems.map((problem) => `--record: ${problem}`) };
}

/** Prints and writes the reports. A run without a summary has only recordings. @returns the exit code */
export async function writeReports(
  run: RunSummary | number,
  recorded: Recorded | undefined,
  { options, files: { junit, coverage }, io }: { readonly options: Options; readonly files: RunFiles; readonly io: Io },
): Promise<number> {
  const printError = printTo(io.stderr);
  const problems = [...(recorded?.problems ?? [])];
  if (typeof run === 'number') {
    const { files = [] } = recorded ?? {};
    printError([...(files.length > 0 ? toRecordingLines(files) : []), ...problems].map((line) => `${line}\n`).join(''));
    return run;
  }
  const summary = { ...run, ...(recorded && { recordings: recorded.files }) };
  printError(`field-sandbox: the command exited with ${run.code} after ${toSeconds(run.ms)}\n`);
  const text = toReport(summary, paintFor(io.stdout));
  await writeAll(io.stdout, hideSecrets(text, options));
  const code = toExitCode(run);
  const report = run.coverage?.report;
  const { recordings = [] } = summary;
  const properties = {
    ...toProperties(options),
    ...(recordings.length > 0 && { recordings: recordings.join(' ') }),
  };
  problems.push(
    ...(await writeJunit(junit, runSuiteName, toRunSuites(run), properties, options)),
    ...(report ? await writeReport('--coverage', coverage, toMarkdown(report), io.env) : []),
  );
  for (const problem of problems) printError(`${problem}\n`);
  return code === 0 && problems.length > 0 ? 1 : code;
}
