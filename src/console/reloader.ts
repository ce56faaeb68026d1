/** Loads data again. */
export interface Reloader {
  /** Reloads at once. */
  now(): void;
  /** Reloads as soon as the reload before permits it. Further calls until then share that reload. */
  soon(): void;
  /** Cancels a scheduled reload. */
  end(): void;
}

/** The shortest time between two reloads of what the frame shows about a project, beside what the user looks at. */
export const frameMs = 2000;

/** The longest pause: a load lasts as long as the page is hidden, when it paints nothing, or the computer sleeps. */
const maxPauseMs = 2000;

/**
 * Creates a reloader. `minMs`: the shortest time between two reloads. It leaves the page three quarters of the time for other
 * things: `soon` waits three times as long as the reload before took, but at most two seconds.
 */
export function createReloader(load: () => Promise<void>, minMs = 500): Reloader {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;
  let running = Promise.resolve();
  let readyAt = 0;
  const end = (): void => {
    clearTimeout(timer);
    isDue = false;
  };
  const now = (): void => {
    end();
    const startedAt = performance.now();
    running = load().then(() => {
      const endedAt = performance.now();
      readyAt = Math.max(startedAt + minMs, endedAt + Math.min(3 * (endedAt - startedAt), maxPauseMs));
    });
  };
  const soon = (): void => {
    if (isDue) return;
    isDue = true;
    // Only then is it known when the page is ready.
    void running.then(() => {
      clearTimeout(timer);
      if (isDue) timer = setTimeout(now, readyAt - performance.now());
    });
  };
  return { now, soon, end };
}
