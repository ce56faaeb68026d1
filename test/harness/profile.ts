/** Writes a profile file for one test, in the system's folder for temporary files. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Writes the differences from the shipped profile, as an object or as text; returns the path of the file. */
export function writeProfile(changes: object | string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'profile-')), 'profile.yaml');
  writeFileSync(file, typeof changes === 'string' ? changes : JSON.stringify(changes));
  return file;
}
