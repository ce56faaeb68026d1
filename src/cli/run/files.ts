/** Checks the files that a run writes, and writes them: report, JUnit XML, coverage and recordings. */

import type { Options } from '../../config/option-table.ts';
import { markdownBeginning, parsePercent, toMarkdown } from '../coverage/texts.ts';
import { type Io, printTo, writeAll } from '../frame/io.ts';
import { hideSecrets } from '../output/hide-secrets.ts';
import { clearReports, junitBeginning, writeJunit, writeReport } from '../output/report-file.ts';
import { paintFor, toSeconds } from '../output/text.ts';
import type { RecordedLife } from '../recordings/collect.ts';
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
 * Checks the options of the reports, and adds their mistakes to those of all others. Without mistakes, deletes older
 * reports and recordings.
 * @returns the minimum in percent
 */
export async function checkReports(
  { junit, coverage, minCoverage, record, recordOnFailure }: RunFiles,
  mistakes: string[],
  env: NodeJS.ProcessEnv,
): Promise<number | undefined> {
  if (recordOnFailure && record === undefined)
    mistakes.push('--record-on-failure: needs the folder of the recordings; add --record DIR');
  const minPercent = parsePercent('--min-coverage', minCoverage, mistakes);
  const problems = record === undefined ? [] : await prepareFolder(record, true);
  mistakes.push(...problems.map((problem) => `--record: ${problem}`));
  const reports = [
    ['--junit', junit, junitBeginning],
    ['--coverage', coverage, markdownBeginning],
  ] as const;
  await clearReports(mistakes, reports, env);
  if (mistakes.length === 0 && record !== undefined) mistakes.push(...(await prepareFolder(record)));
  return minPercent;
}

/** Writes the recordings and reports, and prints the report. A run without a summary has only recordings. @returns the exit code */
export async function writeReports(
  run: RunSummary | number,
  lives: readonly RecordedLife[] | undefined,
  { options, files, io }: { readonly options: Options; readonly files: RunFiles; readonly io: Io },
): Promise<number> {
  const { junit, coverage, record = '', recordOnFailure } = files;
  const printError = printTo(io.stderr);
  const code = typeof run === 'number' ? run : toExitCode(run);
  const recorded = lives && (code !== 0 || !recordOnFailure) ? await writeRecordings(record, lives) : undefined;
  const { files: recordings = [], problems: unwritten = [] } = recorded ?? {};
  const problems = unwritten.map((problem) => `--record: ${problem}`);
  if (typeof run === 'number') {
    const lines = [...(recordings.length > 0 ? toRecordingLines(recordings) : []), ...problems];
    printError(lines.map((line) => `${line}\n`).join(''));
    return run;
  }
  printError(`field-sandbox: the command exited with ${run.code} after ${toSeconds(run.ms)}\n`);
  const text = toReport({ ...run, ...(recorded && { recordings }) }, paintFor(io.stdout));
  await writeAll(io.stdout, hideSecrets(text, options));
  const report = run.coverage?.report;
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
