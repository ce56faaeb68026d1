/**
 * Writes changes one write at a time. All changes during a write go into the next one, and each caller waits for the
 * write with its changes.
 */

export interface MergedWrites {
  /** Reports a change, made before this turn of the event loop ends. It is written as soon as possible. */
  changed(): void;
  /** Resolves when all changes so far are written, or rejects if that fails. Returns undefined if all are written. */
  persisted(): Promise<void> | undefined;
}

/**
 * Creates merged writes. `write` must read the state before it first waits. `failed` is called with each error; the
 * next write includes the same changes again.
 */
export function createMergedWrites(write: () => Promise<void>, failed: (error: unknown) => void): MergedWrites {
  let hasChanged = false;
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function writeAfter(previous: Promise<void> | undefined): Promise<void> {
    // Wait even if no write is in progress: the changes of a request are complete only at the end of this turn.
    await previous?.catch(() => undefined);
    hasChanged = false;
    current = next;
    next = undefined;
    try {
      await write();
    } catch (error) {
      hasChanged = true;
      failed(error);
      throw error;
    } finally {
      current = undefined;
    }
  }

  function schedule(): Promise<void> {
    if (!next) {
      next = writeAfter(current);
      // Possibly no caller waits for this promise.
      next.catch(() => undefined);
    }
    return next;
  }

  return {
    changed: () => {
      hasChanged = true;
      void schedule();
    },
    persisted: () => (hasChanged ? schedule() : current),
  };
}
