/** Syncs the entries of a folder to disk. Without it, a new or renamed file may be missing after a power loss. */
import { open } from 'node:fs/promises';

/** Error codes of file systems that cannot sync a folder. */
const unsupported: readonly string[] = ['EINVAL', 'ENOTSUP'];

/**
 * Syncs the entries of a folder to disk.
 * @throws Error with a `code` if the sync fails
 */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!unsupported.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}
