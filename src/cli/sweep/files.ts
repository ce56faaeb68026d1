/** Stores the files of bad cases in the folder of a sweep, and finds out what was bad in the sweep before. */
import { rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../../config/config-error.ts';
import { checkFolder, createFolder } from '../../lib/create-folder.ts';
import type { FailureCase } from '../../scenarios/cases.ts';
import { matchesAny } from '../../scenarios/glob.ts';
import { readSweepFile } from '../../sweep-report/parse.ts';
import { type SweepCase, type SweepReport, summarize } from '../../sweep-report/report.ts';
import { writeRecordings } from '../recordings/folder.ts';
import type { TrialResult } from '../trial/trial.ts';
import { isOfKinds, type SweepOptions } from './sweep-options.ts';

/** Returns the file with the report of a sweep in its folder, which the next sweep reads. */
export function toReportFile(folder: string): string {
  return path.join(folder, 'sweep.json');
}

/** Paths of the files of a case, relative to the working directory. */
export type CaseFiles = Required<Pick<SweepCase, 'scenario' | 'recordings' | 'output'>>;

/**
 * Checks that the folder can be created, and returns the cases of an earlier sweep in it. The folder is created with its
 * first file: the command may not run at all. @throws ConfigError if it can't be used
 */
export async function openFolder(folder: string): Promise<readonly SweepCase[]> {
  try {
    checkFolder(folder);
    const last = await readSweepFile(toReportFile(folder));
    return 'report' in last ? last.report.cases : [];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([`--out: ${folder} cannot be used as a folder (${code ?? String(error)})`]);
  }
}

function listFiles({ scenario, recordings = [], output }: SweepCase): readonly string[] {
  return [scenario, output, ...recordings].filter((file) => file !== undefined);
}

/** The report could name any file. */
function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}

/** Writes the scenario, the output and the recordings of a bad case. @throws Error with a `code` */
export async function keepCase(folder: string, { id, yaml }: FailureCase, result: TrialResult): Promise<CaseFiles> {
  const base = path.relative('', path.join(folder, id.replaceAll('/', '-')));
  const [scenario, output] = [`${base}.yaml`, `${base}.log`];
  createFolder(base);
  await Promise.all([writeFile(scenario, yaml), writeFile(output, result.output)]);
  const { files } = await writeRecordings(base, result.recordings);
  return { scenario, output, recordings: files };
}

/**
 * Writes the report for the next sweep, with the earlier cases that this one did not select or did not get to, and deletes
 * the files of the others. @returns why it could not be written; otherwise an empty list
 */
export async function keepReport(
  { out: folder, operations, kinds, occurrences, quick }: SweepOptions,
  report: SweepReport,
  last: readonly SweepCase[],
  isComplete: boolean,
): Promise<readonly string[]> {
  if (!isComplete && report.cases.length === 0 && last.length > 0) return [];
  const tried = new Set(report.cases.map((one) => one.case));
  const isSelected = ({ operation, case: id, occurrence }: SweepCase): boolean =>
    !quick && (occurrence ?? 1) <= occurrences && matchesAny(operations, operation) && isOfKinds(kinds, id);
  const isLeft = (one: SweepCase): boolean => !tried.has(one.case) && (!isComplete || !isSelected(one));
  const cases = [...report.cases, ...last.filter(isLeft)];
  const used = new Set(cases.flatMap(listFiles).map((file) => path.resolve(file)));
  try {
    createFolder(folder);
    for (const file of last.flatMap(listFiles)) {
      if (used.has(path.resolve(file)) || !isInside(folder, file)) continue;
      await rm(file, { force: true });
      // The recordings of a case have a folder of their own, which stays if the user keeps other files there.
      const parent = path.dirname(file);
      if (isInside(folder, parent)) await rmdir(parent).catch(() => undefined);
    }
    const kept = { ...report, cases, summary: summarize(cases) };
    await writeFile(toReportFile(folder), `${JSON.stringify(kept, null, 2)}\n`);
    return [];
  } catch (error) {
    return [toFolderProblem(toReportFile(folder), error)];
  }
}

/** Says that a file in the folder of the sweep, or those of a case, can't be written. */
export function toFolderProblem(what: string, error: unknown): string {
  return `--out: ${what} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
}
