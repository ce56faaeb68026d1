/** Checks and writes report files. */
import { constants } from 'node:fs';
import { access, appendFile, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Options } from '../../config/option-table.ts';
import type { Suite } from '../report/checks.ts';
import { hideSecrets } from './hide-secrets.ts';

/** First text of every JUnit XML file, by which an older report is recognized. */
export const junitBeginning = '<?xml';

/** Returns whether a file is the summary of a step of GitHub Actions, which has the reports of all its commands. */
async function isStepSummary(file: string, { GITHUB_STEP_SUMMARY = '' }: NodeJS.ProcessEnv): Promise<boolean> {
  return GITHUB_STEP_SUMMARY !== '' && (await toTarget(file)) === (await toTarget(GITHUB_STEP_SUMMARY));
}

/** Returns the file that a path leads to, also over symbolic links. */
async function toTarget(file: string): Promise<string> {
  return realpath(file).catch(() => path.resolve(file));
}

/** Whether a file may lead to the output of the command, such as /dev/stdout, which may be a file that others append to. */
const isDevice = (file: string): boolean => file.startsWith('/dev/');

/** An option for a report, its file, and the first text of its reports, by which an older one is recognized. */
type ReportOption = readonly [option: string, file: string | undefined, beginning: string];

/**
 * Adds why the files of reports can't be written. If there are no mistakes at all, deletes older reports, so that nobody
 * reads one as the report of a later run that wrote none. A step summary in `env` is kept.
 */
export async function clearReports(
  mistakes: string[],
  reports: readonly ReportOption[],
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  for (const [option, file] of reports) if (file !== undefined) mistakes.push(...(await checkReport(option, file)));
  if (mistakes.length > 0) return;
  for (const [, file = '', beginning] of reports) {
    // Another kind of file may be named by mistake: it is not deleted here.
    const isReport = async () => (await readFile(file, 'utf8').catch(() => '')).startsWith(beginning);
    const isFile = (await stat(file).catch(() => undefined))?.isFile();
    // If the folder is read-only, the file is emptied instead.
    if (isFile && !isDevice(file) && !(await isStepSummary(file, env)) && (await isReport()))
      await rm(await toTarget(file)).catch(() => writeFile(file, ''));
  }
}

/** Returns why a file can't be written; an empty list if it can. */
async function checkReport(option: string, file: string): Promise<readonly string[]> {
  const folder = path.dirname(path.resolve(file));
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory()) return [`${option}: ${file} is a folder; expected a file`];
  try {
    await access(found ? file : folder, constants.W_OK);
    return [];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem = code === 'ENOENT' ? `folder not found: ${folder}` : `${file} cannot be written (${code})`;
    return [`${option}: ${problem}`];
  }
}

/**
 * Writes a report, if there is such an option. Appends it to the step summary in `env`.
 * @returns why the file could not be written; otherwise an empty list
 */
export async function writeReport(
  option: string,
  file: string | undefined,
  text: string,
  env: NodeJS.ProcessEnv = {},
): Promise<string[]> {
  try {
    if (file !== undefined && (await isStepSummary(file, env))) await appendFile(file, `\n${text}`);
    else if (file !== undefined) await writeFile(file, text, { flag: isDevice(file) ? 'a' : 'w' });
    return [];
  } catch (error) {
    return [`${option}: ${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`];
  }
}

/** Writes suites as JUnit XML to the file of `--junit`, if there is one. @returns as `writeReport` */
export async function writeJunit(
  file: string | undefined,
  name: string,
  suites: readonly Suite[],
  properties: Readonly<Record<string, string>> = {},
  options?: Options,
): Promise<string[]> {
  if (file === undefined) return [];
  const { toXml } = await import('./junit.ts');
  const hide = (text: string): string => (options ? hideSecrets(text, options) : text);
  return writeReport('--junit', file, toXml(name, suites, properties, hide));
}
