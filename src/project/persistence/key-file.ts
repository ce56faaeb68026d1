/** Stores the keys that were created at run time in a file of the data folder, as hashes. */
import { createKeyStore, type KeyStore, type StoredKey } from '../../keys/key-store.ts';
import type { Disk } from './folder/disk.ts';
import { DamagedFile } from './format/file-content.ts';

/** Name of the file; it has not the ending of a project's file. */
export const keyFileName = '.keys';

const version = 1;

/**
 * Reads the file, and returns a store that replaces it at each change.
 * @throws DamagedFile; Error with a `code` if the file cannot be read
 */
export async function openKeyFile(disk: Disk, file: string): Promise<KeyStore> {
  const lines = disk.lines(file);
  const keys = lines ? await parseKeys([...lines].join('')) : [];
  return createKeyStore(keys, (changed) =>
    disk.replace(file, [`${JSON.stringify({ version, keys: changed }, null, 1)}\n`]),
  );
}

async function parseKeys(text: string): Promise<readonly StoredKey[]> {
  const { parseKeyFile } = await import('../../keys/stored-key-schema.ts');
  const parsed = parseKeyFile(text, version);
  if ('keys' in parsed) return parsed.keys;
  throw new DamagedFile(
    `the list of API keys is damaged (${parsed.mistake}). Restore it from a backup, or delete it: then the keys that were created with POST /_sandbox/keys are no longer valid`,
  );
}
