/** Stores the keys that were created at run time in a file of the data folder, as hashes. */
import { createKeyStore, type KeyStore, type StoredKey } from '../../keys/key-store.ts';
import type { Disk } from './folder/disk.ts';
import { DamagedLine, seal, startOf, unseal } from './format/checked-lines.ts';
import { DamagedFile } from './format/file-content.ts';

/** Name of the file; it has not the ending of a project's file. */
export const keyFileName = '.keys';

const version = 2;

/** From which its checksum starts. */
const start = startOf(keyFileName);

/**
 * Reads the file, and returns a store that replaces it at each change.
 * @throws DamagedFile; Error with a `code` if the file cannot be read
 */
export function openKeyFile(disk: Disk, file: string): KeyStore {
  const lines = disk.lines(file);
  return createKeyStore(lines ? parseKeys([...lines].join('')) : [], (keys) => disk.replace(file, [toKeyText(keys)]));
}

export function toKeyText(keys: readonly StoredKey[]): string {
  return seal(JSON.stringify({ version, keys }), start).line;
}

function parseKeys(text: string): readonly StoredKey[] {
  const file = readLine(text);
  if (file.version !== version) throw toDamagedFile(`expected version ${version}, got ${file.version}`);
  return file.keys;
}

function readLine(text: string): { readonly version: number; readonly keys: readonly StoredKey[] } {
  try {
    return unseal(text, start).value as ReturnType<typeof readLine>;
  } catch (error) {
    if (error instanceof DamagedLine) throw toDamagedFile(error.message);
    throw error;
  }
}

function toDamagedFile(mistake: string): DamagedFile {
  return new DamagedFile(
    `line 1: ${mistake}. It lists API keys: restore it from a backup, or delete it; then the keys that were created with POST /_sandbox/keys are no longer valid`,
  );
}
