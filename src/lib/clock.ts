/** Reads and sets a project's clock, which is real (an offset from the system clock) or frozen at an instant. */
import type { WallClock } from './time.ts';

/** State of a clock. `aheadMs`: offset of a real clock from the system clock, negative if it is behind. */
export type ClockState =
  | { readonly mode: 'real'; readonly aheadMs: number }
  | { readonly mode: 'frozen'; readonly nowMs: number };

/** Returns the time of a clock, in milliseconds since 1970. */
export function readClock(state: ClockState, wall: Pick<WallClock, 'now'>): number {
  return state.mode === 'real' ? wall.now() + state.aheadMs : state.nowMs;
}

/** Returns the clock in the given mode: frozen at `nowMs`, or running from `nowMs`. */
export function setClock(mode: ClockState['mode'], nowMs: number, wall: Pick<WallClock, 'now'>): ClockState {
  return mode === 'frozen' ? { mode, nowMs } : { mode, aheadMs: nowMs - wall.now() };
}
