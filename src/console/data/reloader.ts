/** Reloads the data of a screen when something has changed: by default at most twice a second, and never in parallel. */

export interface Reloader {
  /** Reloads at once, for example to show another project. `load` must ignore the result of an outdated load. */
  now(): void;
  /** Reloads after a short delay. Further calls until then share that reload. */
  soon(): void;
  /** Cancels a scheduled reload. */
  end(): void;
}

const defaultMinMs = 500;

/** `minMs`: the shortest time until a reload. */
export function createReloader(load: () => Promise<void>, minMs: number = defaultMinMs): Reloader {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = 0;
  let isRequested = false;
  let waitMs = minMs;

  async function run(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    isRequested = false;
    running += 1;
    const startedAt = performance.now();
    try {
      await load();
    } finally {
      running -= 1;
      // The longer a load takes, the less often it runs.
      waitMs = Math.max(minMs, 3 * (performance.now() - startedAt));
      if (isRequested) soon();
    }
  }

  function soon(): void {
    if (running > 0) isRequested = true;
    else timer ??= setTimeout(() => void run(), waitMs);
  }

  return {
    now: () => void run(),
    soon,
    end: () => {
      clearTimeout(timer);
      timer = undefined;
      isRequested = false;
    },
  };
}
