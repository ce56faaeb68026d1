/** Where one project is kept: its file, the log beside it, and the writes of both, one after another. */
import type { Endpoint } from './callbacks/callback.ts';
import { readWorld } from './kept-estate.ts';
import type { Disk } from './store/disk.ts';
import { createFileBox, type FileBox } from './store/file-box.ts';
import { createMergedWrites, type MergedWrites } from './store/merged-writes.ts';
import type { Keeping, World } from './world.ts';
import type { WorldData } from './world-data.ts';
import { toWorldText } from './world-file.ts';
import { createWorldLog, type WorldLog } from './world-log.ts';

/** Where one project is kept. */
export interface Place {
  readonly box: FileBox<WorldData>;
  readonly log: WorldLog;
  readonly writes: MergedWrites;
  /** What is to be in the file; without it, none is to be there. */
  world?: World;
  /** What that world was given to tell of its changes. */
  keeping?: Keeping;
}

interface Parts {
  readonly project: string;
  /** The name of its file, and where that is. */
  readonly name: string;
  readonly file: string;
  readonly disk: Disk;
  /** Where its callbacks go where nothing else was said, which is not kept. */
  readonly endpoint: Endpoint | undefined;
  nextEdition(): string;
  /** Told of what can't be written. */
  remark(text: string): void;
  /** Told of each write: whether there is a file from now on. */
  wrote(isThere: boolean): void;
}

/** A place in which nothing is held yet. */
export function createPlace({ project, name, file, disk, endpoint, nextEdition, remark, wrote }: Parts): Place {
  const log = createWorldLog();
  const box = createFileBox<WorldData>({
    disk,
    file,
    nextEdition,
    toText: (data, edition) => {
      log.begin(data);
      return toWorldText({ project, edition, data }, endpoint);
    },
    toLine: log.toLine,
    fromTexts: (text, lines) => readWorld(text, lines, name, endpoint).data,
  });
  async function write(): Promise<void> {
    const { world } = place;
    try {
      if (world) await world.save();
      else await box.remove();
    } catch (error) {
      throw new Error(`${file}: can't be written (${toCode(error)})`);
    }
    wrote(world !== undefined);
  }
  const failed = (error: unknown) => remark(`${(error as Error).message}: the next write tries all of it again`);
  const place: Place = { box, log, writes: createMergedWrites(write, failed) };
  return place;
}

function toCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
}
