/** Collects what arrives by events until the list takes it: so seldom that the page stays smooth. */
import type { CallbackEvent } from '../events.ts';
import type { RequestRow } from '../request-row.ts';

/** Shortest and longest time between two additions to the list. */
const minFlushMs = 32;
const maxFlushMs = 1000;
/** Time of a frame that is not late. */
const frameMs = 17;
/** Additions that delay frames are made so seldom that frames are late at most one tenth of the time. */
const pausesPerDelay = 10;

export interface Arrived {
  /** In the order of their arrival. */
  readonly rows: readonly RequestRow[];
  readonly callbacks: readonly CallbackEvent[];
}

export interface Arrivals {
  addRow(row: RequestRow): void;
  addCallback(event: CallbackEvent): void;
  /** Returns what has arrived since the last call. */
  take(): Arrived;
}

/** `flush` is called in a frame after something has arrived. */
export function createArrivals(flush: () => void): Arrivals {
  let rows: RequestRow[] = [];
  let callbacks: CallbackEvent[] = [];
  let isFlushing = false;
  let flushedAt = 0;
  /** Time until the next addition. */
  let flushMs = minFlushMs;

  function run(): void {
    if (performance.now() - flushedAt < flushMs) return void requestAnimationFrame(run);
    isFlushing = false;
    flushedAt = performance.now();
    requestAnimationFrame(measure);
    flush();
  }

  /** Called in the frame after an addition. */
  function measure(): void {
    const delayMs = performance.now() - flushedAt - frameMs;
    flushMs = Math.min(maxFlushMs, Math.max(minFlushMs, delayMs * pausesPerDelay));
  }

  function soon(): void {
    if (isFlushing) return;
    isFlushing = true;
    requestAnimationFrame(run);
  }

  return {
    addRow: (row) => {
      rows.push(row);
      soon();
    },
    addCallback: (event) => {
      callbacks.push(event);
      soon();
    },
    take: () => {
      const taken = { rows, callbacks };
      rows = [];
      callbacks = [];
      return taken;
    },
  };
}
