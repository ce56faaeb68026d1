/** Stores the keys that were created at run time in a file of the data folder, as hashes. */
import { createKeyStore, type KeyStore, type StoredKey } from '../../keys/key-store.ts';
import type { Disk } from './folder/disk.ts';
import { DamagedFile, seal, startOf, unseal } from './format/checked-lines.ts';

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
  const file = unseal(text, start, 1).value as { readonly version: number; readonly keys: readonly StoredKey[] };
  if (file.version !== version) throw new DamagedFile(`line 1: expected version ${version}, got ${file.version}`);
  return file.keys;
}
