/** Stores a project in one file, and the lines of its changes in a log next to it. */
import type { LogPlace } from '../project-log.ts';
import type { Disk } from './disk.ts';

export const logEnding = '.log';

export function createFilePlace(disk: Disk, file: string): LogPlace {
  const log = file + logEnding;
  return {
    name: file,
    replace: async (text) => {
      await disk.replace(file, text);
      // The lines of the old log follow an old file, so it does no harm if it stays. But do not append to it: a server
      // that held the folder before may have it open.
      return disk.discard(log).then(
        () => true,
        () => false,
      );
    },
    append: async (text) => {
      // Lines need the file that they follow. Somebody may have removed it.
      if (!(await disk.has(file))) return undefined;
      await disk.append(log, text);
      return 0;
    },
    remove: async () => {
      await disk.remove(file);
      // The log is not valid without its file.
      await disk.discard(log);
    },
  };
}
