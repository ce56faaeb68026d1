/** Writes a profile file for one test, in the system's folder for temporary files. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from './folder.ts';

/** Writes the differences from the shipped profile, as an object or as text; returns the path of the file. */
export function writeProfile(changes: object | string): string {
  const file = join(createFolder(), 'profile.yaml');
  writeFileSync(file, typeof changes === 'string' ? changes : JSON.stringify(changes));
  return file;
}
