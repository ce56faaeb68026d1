/** Stores the files of bad cases in the folder of a sweep, and finds out what was bad in the sweep before. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../../config/config-error.ts';
import { checkFolder, createFolder } from '../../lib/create-folder.ts';
import type { FailureCase } from '../../scenarios/cases.ts';
import { matchesAny } from '../../scenarios/glob.ts';
import { readSweepFile } from '../../sweep-report/parse.ts';
import { type SweepCase, type SweepReport, summarize } from '../../sweep-report/report.ts';
import { isBad } from '../../sweep-report/verdicts.ts';
import { writeRecordings } from '../recordings/folder.ts';
import type { TrialResult } from '../trial/trial.ts';
import { isOfKinds, type SweepOptions } from './sweep-options.ts';

/** Returns the file with the report of a sweep in its folder, which the next sweep reads. */
export function toReportFile(folder: string): string {
  return path.join(folder, 'sweep.json');
}

/** Paths of the files of a case, relative to the working directory. */
export type CaseFiles = Required<Pick<SweepCase, 'scenario' | 'recordings' | 'output'>>;

/** What an earlier sweep left in the folder. */
export interface LastSweep {
  /** Ids of its bad cases. */
  readonly bad: ReadonlySet<string>;
  /** Cases that this sweep does not select. Their files stay. */
  readonly others: readonly SweepCase[];
}

/**
 * Checks that the folder can be created, and deletes the files of the cases that are selected. It is created with its first
 * file: the command may not run at all. @throws ConfigError if it can't be used
 */
export async function openFolder({ out: folder, operations, kinds }: SweepOptions): Promise<LastSweep> {
  try {
    checkFolder(folder);
    const last = await readSweepFile(toReportFile(folder));
    const cases = 'report' in last ? last.report.cases : [];
    const isSelected = (one: SweepCase): boolean => matchesAny(operations, one.operation) && isOfKinds(kinds, one.case);
    for (const file of cases.filter(isSelected).flatMap(listFiles)) {
      if (isInside(folder, file)) await rm(file, { force: true });
    }
    const bad = cases.filter(({ verdict }) => isBad(verdict));
    return { bad: new Set(bad.map((one) => one.case)), others: cases.filter((one) => !isSelected(one)) };
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

/** Writes the report for the next sweep, with the cases that this one did not select. */
export async function keepReport(folder: string, report: SweepReport, { others }: LastSweep): Promise<void> {
  createFolder(folder);
  const cases = [...report.cases, ...others];
  const kept = { ...report, cases, summary: summarize(cases) };
  await writeFile(toReportFile(folder), `${JSON.stringify(kept, null, 2)}\n`);
}
