/** Worlds that outlive the process: each in a file of its own, written before what it says is answered. */
import { resolve } from 'node:path';
import { processBeganAt, type WallClock } from './base/time.ts';
import type { Endpoint } from './callbacks/callback.ts';
import { readWorld, toEstate, toHandedOver, toReason } from './kept-estate.ts';
import { createPlace, type Place } from './kept-place.ts';
import { OperatorError } from './operator-files.ts';
import { type Expressions, loadExpressions } from './scenarios/matcher.ts';
import { type DataFolder, openDataFolder } from './store/data-folder.ts';
import { createDisk, type Disk } from './store/disk.ts';
import { logEnding } from './store/file-box.ts';
import { toFileName } from './store/file-name.ts';
import type { Estate, Keeping, World } from './world.ts';

export interface KeptWorlds {
  /** The projects that were found, as many as worlds are held at most: those that were written last. */
  readonly found: readonly string[];
  /** Whether something is kept of a project. */
  has(project: string): boolean;
  /** What is kept of a project, for a world that goes on with it. @throws where its file is damaged */
  take(project: string): Estate | undefined;
  /** What its world is made with. */
  keepingOf(project: string): Keeping;
  /** From now on, this world is what is kept of its project. */
  hold(world: World): void;
  /** The world was let go: its file stays. */
  letGo(project: string): void;
  /** Nothing is kept of a project any more; of none. */
  forget(project: string): void;
  forgetAll(): void;
  /** Resolves when all that has changed in a project, or in all, is kept; undefined where there is nothing to wait for. */
  kept(project?: string): Promise<void> | undefined;
  /** Writes what is left to be written, and lets another server have the folder. */
  close(): Promise<void>;
}

interface Parts {
  readonly folder: string;
  /** Where callbacks of a project go that was not told otherwise: as the options say, and not kept. */
  readonly endpoint: Endpoint | undefined;
  readonly wall: WallClock;
  /** How many are found at most. */
  readonly most: number;
  /** Told of what can't be written. */
  remark(text: string): void;
  readonly disk?: Disk;
}

/** Takes a folder and reads what is kept in it. @throws OperatorError with every file that is damaged */
export async function openKeptWorlds(parts: Parts): Promise<KeptWorlds> {
  const opened = openDataFolder(parts.folder, parts.wall);
  if (!opened.ok) throw new OperatorError([`--data: ${resolve(parts.folder)} ${opened.message}`]);
  try {
    return readAll(parts, opened.folder, await loadExpressions());
  } catch (error) {
    opened.folder.release();
    throw error;
  }
}

function readAll(parts: Parts, folder: DataFolder, expressions: Expressions): KeptWorlds {
  const { disk = createDisk(), endpoint } = parts;
  const mistakes: string[] = [];
  const files = new Set<string>();
  const estates = new Map<string, Estate>();
  for (const [index, name] of folder.names.entries()) {
    try {
      const file = folder.pathOf(name);
      const { project, data } = readWorld(disk.read(file) ?? '', disk.read(file + logEnding) ?? '', name, endpoint);
      files.add(project);
      if (folder.names.length - index <= parts.most) estates.set(project, toEstate(data, expressions));
    } catch (error) {
      mistakes.push(`--data: ${folder.pathOf(name)}: ${toReason(error)}`);
    }
  }
  if (mistakes.length > 0) throw new OperatorError(mistakes);
  return createKeptWorlds({ ...parts, disk, expressions, data: folder, files, estates });
}

interface Found extends Parts {
  readonly disk: Disk;
  readonly expressions: Expressions;
  readonly data: DataFolder;
  /** The projects that have a file. */
  readonly files: Set<string>;
  /** What was read of them already. */
  readonly estates: Map<string, Estate>;
}

function createKeptWorlds({ disk, expressions, data: folder, files, estates, endpoint, remark }: Found): KeptWorlds {
  const places = new Map<string, Place>();
  let editions = 0;
  // By age, not by what was used last: that is the order in which they are listed.
  const found = [...estates].toSorted(([, a], [, b]) => a.data.begunAt - b.data.begunAt).map(([project]) => project);

  function nextEdition(): string {
    editions += 1;
    return `${processBeganAt}-${editions}`;
  }

  function addPlace(project: string): Place {
    const name = toFileName(project);
    const wrote = (isThere: boolean) => void (isThere ? files.add(project) : files.delete(project));
    return createPlace({ project, name, file: folder.pathOf(name), disk, endpoint, nextEdition, remark, wrote });
  }

  function placeOf(project: string): Place {
    const place = places.get(project) ?? addPlace(project);
    places.set(project, place);
    return place;
  }

  /** Leaves a place that nothing is held in, once nothing is to be written any more. */
  function leave(project: string): void {
    const place = places.get(project);
    if (!place || place.world?.isDisposed() === false) return;
    const writing = place.writes.kept();
    if (!writing) places.delete(project);
    else
      writing.then(
        () => leave(project),
        // It stays until it can be written: nobody else has it.
        () => undefined,
      );
  }

  function take(project: string): Estate | undefined {
    const place = places.get(project);
    if (place?.world) return toHandedOver(place.world, place.log);
    if (place) return undefined;
    const read = estates.get(project);
    estates.delete(project);
    if (read || !files.has(project)) return read;
    const { box } = placeOf(project);
    try {
      const data = box.load();
      return data && toEstate(data, expressions);
    } catch (error) {
      places.delete(project);
      throw new Error(`${folder.pathOf(toFileName(project))}: ${toReason(error)}`);
    }
  }

  function forget(project: string): void {
    estates.delete(project);
    const place = placeOf(project);
    delete place.world;
    delete place.keeping;
    place.writes.changed();
    leave(project);
  }

  function keptOf(project: string | undefined): Promise<void> | undefined {
    if (project !== undefined) return places.get(project)?.writes.kept();
    const writing = [...places.values()].flatMap(({ writes }) => writes.kept() ?? []);
    return writing.length === 0 ? undefined : Promise.all(writing).then(() => undefined);
  }

  return {
    found,
    has: (project) => {
      const place = places.get(project);
      return place ? place.world !== undefined : files.has(project);
    },
    take,
    keepingOf: (project) => {
      const own = placeOf(project);
      // A world that was reset may still change: its place is another's by then, or nobody's.
      const place = (): Place | undefined => (own.keeping === keeping ? own : undefined);
      const keeping: Keeping = {
        adapter: own.box,
        wrote: (writes) => place()?.log.wrote(writes),
        touched: (callback) => place()?.log.touched(callback),
        changed: () => place()?.writes.changed(),
        kept: () => place()?.writes.kept(),
      };
      own.keeping = keeping;
      return keeping;
    },
    hold: (world) => {
      placeOf(world.id).world = world;
    },
    letGo: leave,
    forget,
    forgetAll: () => {
      for (const project of new Set([...files, ...places.keys()])) forget(project);
    },
    kept: keptOf,
    close: async () => {
      await Promise.allSettled([...places.values()].map(({ writes }) => writes.kept()));
      // Whatever still stirs has no place to be written to: another server may have the folder.
      for (const place of places.values()) delete place.keeping;
      places.clear();
      folder.release();
    },
  };
}
