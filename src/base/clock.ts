/** A project's clock as a value: real, running some way beside the wall's, or frozen at an instant. */
import type { WallClock } from './time.ts';

/** `aheadMs`: how far a real clock stands before the wall's (behind it where negative). */
export type ClockState =
  | { readonly mode: 'real'; readonly aheadMs: number }
  | { readonly mode: 'frozen'; readonly nowMs: number };

/** What a clock shows, in milliseconds since 1970. */
export function readClock(state: ClockState, wall: Pick<WallClock, 'now'>): number {
  return state.mode === 'real' ? wall.now() + state.aheadMs : state.nowMs;
}

/** The clock changed to a mode, standing or running on from `nowMs`. */
export function setClock(mode: ClockState['mode'], nowMs: number, wall: Pick<WallClock, 'now'>): ClockState {
  return mode === 'frozen' ? { mode, nowMs } : { mode, aheadMs: nowMs - wall.now() };
}
