/** Loads data again, at most twice a second. */
export interface Reloader {
  /** Reloads at once. */
  now(): void;
  /** Reloads as soon as the reload before permits it. Further calls until then share that reload. */
  soon(): void;
  /** Cancels a scheduled reload. */
  end(): void;
}

/** The shortest time between two reloads. */
const minMs = 500;

/** Creates a reloader. The longer a load takes, the less often it runs: `soon` waits for the end of the one before. */
export function createReloader(load: () => Promise<void>): Reloader {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = Promise.resolve();
  let readyAt = 0;
  const end = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const now = (): void => {
    end();
    const startedAt = performance.now();
    readyAt = startedAt + minMs;
    running = load().then(() => {
      readyAt = Math.max(readyAt, performance.now() + 3 * (performance.now() - startedAt));
    });
  };
  const soon = (): void => {
    timer ??= setTimeout(() => running.then(() => timer !== undefined && now()), readyAt - performance.now());
  };
  return { now, soon, end };
}
