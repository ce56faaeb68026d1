/**
 * The timers of Node, as they are when this module loads. The sandbox of the test kit runs in the process of a test, which
 * may replace the global ones by fake timers that never fire. All code uses these instead.
 */
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

type Names =
  | 'setTimeout'
  | 'clearTimeout'
  | 'setInterval'
  | 'clearInterval'
  | 'setImmediate'
  | 'clearImmediate'
  | 'queueMicrotask';

export const timers: Readonly<Pick<typeof globalThis, Names>> = {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  clearImmediate,
  queueMicrotask,
};

/** Resolves after the rest of this turn of the event loop. */
export const nextTurn: typeof turn = turn;

/** Resolves after a time in milliseconds. */
export const sleep: typeof delay = delay;
