/** Loads again what a screen shows when something has happened: at most twice a second, and never twice at once. */

export interface Fresh {
  /** At once, as when another thing is to be shown; `load` sees to it that an older answer doesn't count. */
  now(): void;
  /** In a moment, together with all else that happens until then. */
  soon(): void;
  /** What was planned is not done any more. */
  end(): void;
}

const leastMs = 500;

export function keepFresh(load: () => Promise<void>): Fresh {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = 0;
  let isWanted = false;
  let waitMs = leastMs;

  async function run(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    isWanted = false;
    running += 1;
    const begun = performance.now();
    try {
      await load();
    } finally {
      running -= 1;
      // What takes long to load is loaded less often.
      waitMs = Math.max(leastMs, 3 * (performance.now() - begun));
      if (isWanted) soon();
    }
  }

  function soon(): void {
    if (running > 0) isWanted = true;
    else timer ??= setTimeout(() => void run(), waitMs);
  }

  return {
    now: () => void run(),
    soon,
    end: () => {
      clearTimeout(timer);
      timer = undefined;
      isWanted = false;
    },
  };
}
