/** Holds back what is written to disk, as a slow disk does: nothing is stored before the test lets it. */
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
  let held: PromiseWithResolvers | undefined;
  let waiting = createPromise();
  let restore = (): void => undefined;

  beforeAll(async () => {
    const file = path.join(tmpdir(), `field-sandbox-held-${process.pid}`);
    const handle = await open(file, 'w');
    const handles = Object.getPrototypeOf(handle) as FileHandle;
    const { datasync, sync } = handles;
    const wait = async (): Promise<void> => {
      if (!held) return;
      waiting.resolve();
      await held.promise;
    };
    handles.datasync = async function (this: FileHandle) {
      await wait();
      return datasync.call(this);
    };
    handles.sync = async function (this: FileHandle) {
      await wait();
      return sync.call(this);
    };
    restore = () => Object.assign(handles, { datasync, sync });
    await handle.close();
    await rm(file);
  });
  const release = (): void => {
    held?.resolve();
    held = undefined;
    waiting = createPromise();
  };
  afterEach(release);
  afterAll(() => restore());

  return {
    hold: () => {
      held = createPromise();
    },
    reached: () => waiting.promise,
    release,
  };
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  resolve(): void;
}

function createPromise(): PromiseWithResolvers {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
