/** Checks and writes report files. */
import { constants } from 'node:fs';
import { access, appendFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Options } from '../../config/option-table.ts';
import type { Suite } from '../report/checks.ts';
import { hideSecrets } from './hide-secrets.ts';

/** First text of every JUnit XML file, by which an older report is recognized. */
export const junitBeginning = '<?xml';

/** Returns whether a file is the summary of a step of GitHub Actions, which has the reports of all its commands. */
function isStepSummary(file: string, { GITHUB_STEP_SUMMARY = '' }: NodeJS.ProcessEnv): boolean {
  return GITHUB_STEP_SUMMARY !== '' && path.resolve(file) === path.resolve(GITHUB_STEP_SUMMARY);
}

/**
 * Deletes an older report, so that nobody reads it as the report of a later run that wrote none. Recognizes a report by
 * its first text. A step summary in `env` is kept.
 * @returns why the file of this option can't be written; an empty list if it can, or if there is no such option
 */
export async function clearReport(
  option: string,
  file: string | undefined,
  beginning: string,
  env: NodeJS.ProcessEnv = {},
): Promise<string[]> {
  if (file === undefined) return [];
  const folder = path.dirname(path.resolve(file));
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory()) return [`${option}: ${file} is a folder; expected a file`];
  try {
    await access(found ? file : folder, constants.W_OK);
    // Another kind of file may be named by mistake: it is not deleted here.
    const isReport = async () => (await readFile(file, 'utf8').catch(() => '')).startsWith(beginning);
    const isOld = found?.isFile() && !isStepSummary(file, env) && (await isReport());
    // If the folder is read-only, the file is emptied instead.
    if (isOld) await rm(file).catch(() => writeFile(file, ''));
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
    if (file !== undefined && isStepSummary(file, env)) await appendFile(file, `\n${text}`);
    else if (file !== undefined) await writeFile(file, text);
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
