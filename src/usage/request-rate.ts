/** Counts the requests of a project in windows of its own clock, as the profile's `rate` allows. */

/** A window that began with its first request, in milliseconds of the project's clock. */
export interface RateWindow {
  readonly from: number;
  readonly used: number;
}

export interface MaxRate {
  readonly requests: number;
  readonly per: string;
  readonly perMs: number;
}

/** Counts a request. Returns the window, and the seconds to wait if the request exceeds the rate. */
export function countInWindow(
  window: RateWindow | undefined,
  { requests, perMs }: MaxRate,
  now: number,
): { readonly window: RateWindow; readonly retryAfter: number | undefined } {
  if (!window || now >= window.from + perMs) return { window: { from: now, used: 1 }, retryAfter: undefined };
  if (window.used >= requests) return { window, retryAfter: Math.ceil((window.from + perMs - now) / 1000) };
  return { window: { from: window.from, used: window.used + 1 }, retryAfter: undefined };
}
