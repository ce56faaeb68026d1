/** One write at a time: all that changes while one is under way goes into the next, and everyone waits for their own. */

export interface MergedWrites {
  /** Something has changed, or changes before this turn ends: it is written as soon as can be. */
  changed(): void;
  /** Resolves when all that has changed so far is written, and rejects where it can't be; undefined where it is already. */
  kept(): Promise<void> | undefined;
}

/** `write` takes what there is when it is called, before it waits. What it fails at is told, and in the next write again. */
export function createMergedWrites(write: () => Promise<void>, failed: (error: unknown) => void): MergedWrites {
  let hasChanged = false;
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function writeAfter(before: Promise<void> | undefined): Promise<void> {
    // Also where there is nothing to wait for: what a request changes is whole only when it gives back its turn.
    await before?.catch(() => undefined);
    hasChanged = false;
    underWay = next;
    next = undefined;
    try {
      await write();
    } catch (error) {
      hasChanged = true;
      failed(error);
      throw error;
    } finally {
      underWay = undefined;
    }
  }

  function plan(): Promise<void> {
    if (!next) {
      next = writeAfter(underWay);
      // Nobody may be waiting.
      next.catch(() => undefined);
    }
    return next;
  }

  return {
    changed: () => {
      hasChanged = true;
      void plan();
    },
    kept: () => (hasChanged ? plan() : underWay),
  };
}
