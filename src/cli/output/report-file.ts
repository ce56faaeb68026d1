/** Checks and writes a report file. */
import { constants } from 'node:fs';
import { access, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Deletes an older report, so that nobody reads it as the report of a later run that wrote none. Recognizes a report by
 * its first text.
 * @returns why the file can't be written, or undefined
 */
export async function clearReport(file: string, beginning: string): Promise<string | undefined> {
  if (file === '') return 'expected a file name, got an empty value';
  const folder = path.dirname(path.resolve(file));
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory()) return `${file} is a folder; expected a file`;
  try {
    await access(found ? file : folder, constants.W_OK);
    // Another kind of file may be named by mistake: it is not deleted here.
    const isOld = found?.isFile() && (await readFile(file, 'utf8').catch(() => '')).startsWith(beginning);
    // If the folder is read-only, the file is emptied instead.
    if (isOld) await rm(file).catch(() => writeFile(file, ''));
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? `folder not found: ${folder}` : `${file} cannot be written (${code})`;
  }
}

/** Writes a report. @returns why it could not be written, or undefined */
export async function writeReport(file: string, text: string): Promise<string | undefined> {
  try {
    await writeFile(file, text);
    return undefined;
  } catch (error) {
    return `${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
  }
}
