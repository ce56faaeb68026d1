/** Loads data again, at most twice a second. */
export interface Reloader {
  /** Reloads at once. */
  now(): void;
  /** Reloads after a short delay. Further calls until then share that reload. */
  soon(): void;
  /** Cancels a scheduled reload. */
  end(): void;
}

/** The shortest time until a reload. */
const minMs = 500;

/** Creates a reloader. The longer a load takes, the less often it runs: `soon` waits for the end of the one before. */
export function createReloader(load: () => Promise<void>): Reloader {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = Promise.resolve();
  let waitMs = minMs;
  const end = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const now = (): void => {
    end();
    const startedAt = performance.now();
    running = load().then(() => {
      waitMs = Math.max(minMs, 3 * (performance.now() - startedAt));
    });
  };
  const soon = (): void => {
    timer ??= setTimeout(() => running.then(() => timer !== undefined && now()), waitMs);
  };
  return { now, soon, end };
}
