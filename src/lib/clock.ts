/** Reads and sets a project's clock, which runs with the system clock, runs at a rate, or is frozen at an instant. */
import type { WallClock } from './time.ts';

/**
 * State of a clock. `aheadMs`: offset of a real clock from the system clock, negative if it is behind. `rate`: how many
 * times faster than the system clock it runs, from `fromMs` at `fromWallMs` on.
 */
export type ClockState =
  | { readonly mode: 'real'; readonly aheadMs: number }
  | { readonly mode: 'real'; readonly rate: number; readonly fromMs: number; readonly fromWallMs: number }
  | { readonly mode: 'frozen'; readonly nowMs: number };

/** The clock that projects start with: frozen at `nowMs`, by default now, or running at `rate`, by default 1. */
export interface InitialClock {
  readonly mode: ClockState['mode'];
  readonly nowMs?: number;
  readonly rate?: number;
}

export const minRate = 0.1;
export const maxRate = 1000;

/** Returns the time of a clock, in milliseconds since 1970. */
export function readClock(state: ClockState, wall: Pick<WallClock, 'now'>): number {
  if (state.mode === 'frozen') return state.nowMs;
  if (!('rate' in state)) return wall.now() + state.aheadMs;
  return state.fromMs + Math.round((wall.now() - state.fromWallMs) * state.rate);
}

/** Returns the clock in the given mode: frozen at `nowMs`, or running from `nowMs` at a rate. */
export function setClock(mode: ClockState['mode'], nowMs: number, wall: Pick<WallClock, 'now'>, rate = 1): ClockState {
  if (mode === 'frozen') return { mode, nowMs };
  const fromWallMs = wall.now();
  return rate === 1 ? { mode, aheadMs: nowMs - fromWallMs } : { mode, rate, fromMs: nowMs, fromWallMs };
}

/** Returns how many times faster than the system clock a clock runs; 0 if it is frozen. */
export function rateOf(state: ClockState): number {
  if (state.mode === 'frozen') return 0;
  return 'rate' in state ? state.rate : 1;
}

/** Parses a rate such as `20x`. Returns undefined if the text has another form. The rate may be out of range. */
export function parseRate(text: string): number | undefined {
  return /^-?\d+(\.\d+)?x$/.test(text) ? Number(text.slice(0, -1)) : undefined;
}

export function isValidRate(rate: number): boolean {
  return rate >= minRate && rate <= maxRate;
}

/**
 * Converts a span of a project's clock to the whole seconds of real time that a client must wait: clients cannot know
 * the rate. On a frozen clock, the client waits for the span itself.
 */
export function toRetryAfter(spanMs: number, rate: number): number {
  return Math.ceil(spanMs / (rate || 1) / 1000);
}

/** Converts the real time that a receiver asks to wait to a span of a project's clock, in milliseconds. */
export function fromRetryAfter(realMs: number, rate: number): number {
  return Math.ceil(realMs * (rate || 1));
}
