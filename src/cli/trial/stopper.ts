/** Stops a series of runs at a signal, so that the results so far are reported. A second signal ends the process at once. */
import { constants } from 'node:os';
import { endSignals } from '../process/signals.ts';

export interface Stopper {
  readonly signal: AbortSignal;
  /** Returns the exit code after a signal; undefined before. */
  code(): number | undefined;
  dispose(): void;
}

export function createStopper(): Stopper {
  const controller = new AbortController();
  let code: number | undefined;
  const stop = (name: NodeJS.Signals): void => {
    const previous = code;
    code = 128 + constants.signals[name];
    if (previous !== undefined) process.exit(code);
    controller.abort();
  };
  for (const name of endSignals) process.on(name, stop);
  return {
    signal: controller.signal,
    code: () => code,
    dispose: () => {
      for (const name of endSignals) process.off(name, stop);
    },
  };
}
