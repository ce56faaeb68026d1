/** The file of a command's JUnit XML: looked at before anything is begun, written when all is judged. */
import { constants } from 'node:fs';
import { access, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { toTimestamp } from '../base/time.ts';
import type { Options } from '../option-table.ts';
import type { Suite } from './junit.ts';
import type { Run } from './report.ts';
import { hideSecrets } from './shown.ts';

/** Takes an older report away: nobody shall read it as that of a run which came to none. @returns why the file can't be written */
export async function clearJunit(file: string): Promise<string | undefined> {
  if (file === '') return 'expected the name of a file';
  const folder = path.dirname(path.resolve(file));
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory()) return `${file} is a folder`;
  try {
    await access(found ? file : folder, constants.W_OK);
    // Another kind of file was named by mistake: it is lost soon enough.
    const isOld = found?.isFile() && (await readFile(file, 'utf8').catch(() => '')).startsWith('<?xml');
    // In a folder that may not be changed it is emptied.
    if (isOld) await rm(file).catch(() => writeFile(file, ''));
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? `there is no folder ${folder}` : `${file} can't be written (${code})`;
  }
}

/** What a run came to. @returns why it could not be written */
export function writeJunit(file: string, run: Run, options: Options): Promise<string | undefined> {
  return write(file, ({ toJunit }) => toJunit(run, toProperties(options), (text) => hideSecrets(text, options)));
}

/** What another command came to, under its name. @returns why it could not be written */
export function writeSuites(
  file: string,
  name: string,
  suites: readonly Suite[],
  properties: Readonly<Record<string, string>>,
  options: Options,
): Promise<string | undefined> {
  return write(file, ({ toXml }) => toXml(name, suites, properties, (text) => hideSecrets(text, options)));
}

async function write(
  file: string,
  toText: (junit: typeof import('./junit.ts')) => string,
): Promise<string | undefined> {
  try {
    await writeFile(file, toText(await import('./junit.ts')));
    return undefined;
  } catch (error) {
    return `${file}: can't be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
  }
}

/** The options that make a run what it is, without addresses and secrets. */
function toProperties({
  seed,
  clock,
  strict,
  magicIds,
  scenarios,
  profile,
}: Options): Readonly<Record<string, string>> {
  return {
    seed,
    clock: clock.nowMs === undefined ? clock.mode : toTimestamp(clock.nowMs),
    strict: String(strict),
    magicIds: String(magicIds),
    ...(scenarios.length > 0 && { scenarios: scenarios.join(' ') }),
    ...(profile !== undefined && { profile }),
  };
}
