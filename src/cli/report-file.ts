/** A file that a report is written to: looked at before there is a report, written when there is one. */
import { constants } from 'node:fs';
import { access, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Takes an older report, known by its beginning, away: nobody shall read it as that of a run which came to none.
 * @returns why the file can't be written
 */
export async function clearReport(file: string, beginning: string): Promise<string | undefined> {
  if (file === '') return 'expected the name of a file';
  const folder = path.dirname(path.resolve(file));
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory()) return `${file} is a folder`;
  try {
    await access(found ? file : folder, constants.W_OK);
    // Another kind of file was named by mistake: it is lost soon enough.
    const isOld = found?.isFile() && (await readFile(file, 'utf8').catch(() => '')).startsWith(beginning);
    // In a folder that may not be changed it is emptied.
    if (isOld) await rm(file).catch(() => writeFile(file, ''));
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? `there is no folder ${folder}` : `${file} can't be written (${code})`;
  }
}

/** @returns why it could not be written */
export async function writeReport(file: string, text: string): Promise<string | undefined> {
  try {
    await writeFile(file, text);
    return undefined;
  } catch (error) {
    return `${file}: can't be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
  }
}
