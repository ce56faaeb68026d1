/** Holds back what is written to disk, as a slow disk does: nothing is stored before the test lets it. */
import { EventEmitter, once } from 'node:events';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';

export interface HeldWrites {
  /** From now on, no file is synced. */
  hold(): void;
  /** Resolves when a sync waits. */
  reached(): Promise<void>;
  /** Lets all syncs go on. */
  release(): void;
}

/**
 * For the tests of one file. All file handles of this thread are held, whoever opened them, so that the test needs to know
 * nothing of the store but that it syncs with `node:fs/promises`: if it does not, `reached` never resolves.
 */
export function useHeldWrites(): HeldWrites {
  const events = new EventEmitter();
  let isHeld = false;
  let isReached = false;
  let restore = (): void => undefined;

  beforeAll(async () => {
    const file = path.join(tmpdir(), `field-sandbox-held-${process.pid}`);
    const handle = await open(file, 'w');
    const handles = Object.getPrototypeOf(handle) as FileHandle;
    const { datasync, sync } = handles;
    for (const [name, call] of Object.entries({ datasync, sync })) {
      handles[name as 'sync'] = async function (this: FileHandle) {
        if (isHeld) {
          isReached = true;
          events.emit('reached');
          await once(events, 'released');
        }
        return call.call(this);
      };
    }
    restore = () => Object.assign(handles, { datasync, sync });
    await handle.close();
    await rm(file);
  });
  const release = (): void => {
    isHeld = false;
    isReached = false;
    events.emit('released');
  };
  afterEach(release);
  afterAll(() => restore());

  return {
    hold: () => {
      isHeld = true;
    },
    reached: async () => {
      if (!isReached) await once(events, 'reached');
    },
    release,
  };
}
