import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

/** Creates a folder and its missing parents. Node's recursive mkdir never returns where none can be created: in /proc. */
export async function createFolder(folder: string): Promise<void> {
  const parent = path.dirname(path.resolve(folder));
  if (!existsSync(parent)) await createFolder(parent);
  await mkdir(folder).catch((error: unknown) => {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  });
}
