/** Signals that end a command. */

export const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Waits for the work or for a signal. @returns the signal, or undefined if the work ended first */
export function untilSignal(work: Promise<unknown>): Promise<NodeJS.Signals | undefined> {
  return new Promise((resolve) => {
    const end = (signal?: NodeJS.Signals): void => {
      for (const name of endSignals) process.off(name, end);
      resolve(signal);
    };
    for (const name of endSignals) process.on(name, end);
    void work.finally(() => end());
  });
}
