/** Writes recordings into a folder, and deletes those of an earlier run from it. */
import { constants, existsSync } from 'node:fs';
import { access, open, readdir, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { toJsonPieces } from '../../lib/chunks.ts';
import { checkFolder, createFolder } from '../../lib/create-folder.ts';
import { fileEnding, toFileName } from '../../project/persistence/format/file-name.ts';
import type { RecordedLife } from './collect.ts';

/** Returns the file name of a recording: `PROJECT.json`, `PROJECT.2.json`, …, with the encoding of `--data`. */
export function toRecordingName({ project, life }: Pick<RecordedLife, 'project' | 'life'>): string {
  return toFileName(project, life === 1 ? fileEnding : `.${life}${fileEnding}`);
}

/**
 * Deletes the recordings of an earlier run, so that nobody takes them for those of a later one. `isCheck`: deletes nothing.
 * @returns why recordings can't be written there; otherwise an empty list
 */
export async function prepareFolder(folder: string, isCheck = false): Promise<readonly string[]> {
  try {
    checkFolder(folder);
    if (!existsSync(folder)) return [];
    await access(folder, constants.W_OK);
    if (isCheck) return [];
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const file = path.join(folder, entry.name);
      if (entry.isFile() && entry.name.endsWith(fileEnding) && (await isRecordingOfRun(file))) await unlink(file);
    }
    return [];
  } catch (error) {
    const { code, path: place = folder } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOTDIR') return [`${place} is a file; expected a folder`];
    return [`${place} cannot be written (${code ?? String(error)})`];
  }
}

/**
 * Writes the recordings, and creates the folder for the first. Returns their files, by project and life, and why others
 * could not be written.
 */
export async function writeRecordings(
  folder: string,
  lives: readonly RecordedLife[],
): Promise<{ readonly files: readonly string[]; readonly problems: readonly string[] }> {
  const files: string[] = [];
  const problems: string[] = [];
  const sorted = lives.toSorted(
    (a, b) => Number(a.project > b.project) - Number(a.project < b.project) || a.life - b.life,
  );
  for (const life of sorted) {
    const file = path.join(folder, toRecordingName(life));
    try {
      createFolder(folder);
      await writeFile(file, toJsonPieces(life.recording));
      files.push(file);
    } catch (error) {
      problems.push(`${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
    }
  }
  return { files, problems };
}

/** The beginning of a recording as `writeRecordings` writes it. */
const beginning = /^\{"recording":\d+,"project":("(?:[^"\\]|\\.)*"),/;

/** Maximum length of the beginning, in bytes: ids of projects are shorter. */
const maxBeginning = 16_384;

/** Whether the file is a recording with the name that it gets here; other recordings belong to somebody else. */
async function isRecordingOfRun(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBeginning), 0, maxBeginning, 0);
    const [, id] = beginning.exec(buffer.toString('utf8', 0, bytesRead)) ?? [];
    if (id === undefined) return false;
    const name = path.basename(file);
    const life = Number(/\.(\d+)\.json$/.exec(name)?.[1] ?? 1);
    return name === toRecordingName({ project: JSON.parse(id), life });
  } finally {
    await handle.close();
  }
}
