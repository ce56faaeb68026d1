/** Opens a folder of project files, which one server holds at a time. */
import { randomUUID } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { ConfigError } from '../../../config/config-error.ts';
import { createFolder } from '../../../lib/create-folder.ts';
import { processStartedAt, type WallClock } from '../../../lib/time.ts';
import { sleep } from '../../../lib/timers.ts';
import { fileEnding } from '../format/file-name.ts';
import { syncFolder } from './disk.ts';
import { type Hold, holdFolder } from './hold.ts';
import { type Holder, type OwnLock, staleMs, takeLock } from './lock.ts';
import { createProcessTable, type ProcessTable } from './process-table.ts';

export interface FolderParts {
  readonly wall: WallClock;
  /** Called when the start waits for another server that may have stopped. */
  warn(text: string): void;
  /** Called once, with a message for the log, when another server has taken over the folder. */
  onLockLost(message: string): void;
  /** Aborted when the start is cancelled. */
  readonly ending?: AbortSignal | undefined;
  /** Waits, and keeps the process alive meanwhile. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

interface DataFolder {
  /** Names of the project files that were in the folder, the last written one at the end. */
  readonly names: readonly string[];
  readonly hold: Hold;
}

/**
 * Creates the folder if it does not exist, and acquires it.
 * @throws ConfigError if the folder cannot be used
 */
export async function openDataFolder(folder: string, parts: FolderParts): Promise<DataFolder> {
  let step = 'created';
  let hold: Hold | undefined;
  try {
    await createSynced(folder);
    step = 'written to';
    const lock = await takeOrWait(folder, parts);
    const lost = (by: string) => `was taken over by ${by}, because this server did not refresh its lock in time`;
    hold = holdFolder(lock, (by) => parts.onLockLost(`--data: ${folder} ${lost(by)}`));
    step = 'read';
    return { names: listProjectFiles(folder), hold };
  } catch (error) {
    hold?.release();
    const { code, path: at = '' } = error as NodeJS.ErrnoException;
    if (code === undefined || parts.ending?.aborted) throw error;
    // If the path is not a folder, the step that creates the folder fails.
    const missing =
      step === 'read'
        ? `${path.basename(at)} is a link to a file that does not exist`
        : 'its file system does not accept new files and folders';
    const reasons = new Map([
      ['ENOENT', `: ${missing}`],
      ['EEXIST', ': it exists, and is not a folder'],
      ['ENOTDIR', ': a folder of its path is a file'],
    ]);
    const reason = code + (reasons.get(code) ?? '');
    throw new ConfigError([`--data: ${folder} can't be ${step} (${reason})`]);
  }
}

/** Interval between looks at a lock whose holder may have stopped, in milliseconds. */
const pollMs = 500;

/**
 * Acquires the lock of a folder. If the holder may have been killed without a trace, as in a restarted container, waits
 * for a sign of life: a running server touches its lock every five seconds.
 */
async function takeOrWait(folder: string, { wall, warn, ending, pause }: FolderParts): Promise<OwnLock> {
  const sleepFor = pause ?? ((ms: number) => sleep(ms, undefined, ending && { signal: ending }));
  const processes = createProcessTable();
  const parts = { self: describeSelf(processes), wall, processes };
  let taken = takeLock(folder, parts);
  if (!taken.ok && taken.sign !== undefined) {
    const { sign, message } = taken;
    const seconds = staleMs / 1000;
    warn(
      `--data: ${folder} ${message}. If that process was killed, its lock expires: waiting up to ${seconds} seconds`,
    );
    const sinceMs = wall.elapsed();
    do {
      await sleepFor(pollMs);
      const staleSign = wall.elapsed() - sinceMs > staleMs ? sign : undefined;
      taken = takeLock(folder, { ...parts, staleSign });
    } while (!taken.ok && taken.sign === sign);
  }
  if (taken.ok) return taken.lock;
  throw new ConfigError([`--data: ${folder} ${taken.message}`]);
}

function describeSelf(processes: ProcessTable): Holder {
  const { pid } = process;
  const { space } = processes;
  const startedAt = processes.find(pid)?.startedAt;
  return { id: randomUUID(), pid, beganAt: processStartedAt, host: hostname(), space, startedAt };
}

async function createSynced(folder: string): Promise<void> {
  // Only for the owner: the files contain the secrets of callbacks.
  const firstCreated = createFolder(folder, 0o700);
  if (firstCreated !== undefined) await syncCreated(folder, firstCreated);
}

/** Syncs the entries of new folders to disk. Each entry is in the parent folder. */
async function syncCreated(folder: string, firstCreated: string): Promise<void> {
  await syncFolder(path.dirname(folder));
  if (folder !== firstCreated) await syncCreated(path.dirname(folder), firstCreated);
}

function listProjectFiles(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(fileEnding))
    .map((name) => ({ name, writtenMs: statSync(path.join(folder, name)).mtimeMs }))
    .toSorted((a, b) => a.writtenMs - b.writtenMs)
    .map(({ name }) => name);
}
