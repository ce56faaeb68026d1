/** Times along trails: which period they cover, and where a device was at a time. */

export interface Place {
  readonly lat: number;
  readonly lng: number;
}

export interface TrailPoint extends Place {
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface Period {
  readonly from: number;
  readonly to: number;
}

/** Returns the period that the trails cover, or undefined if no device has moved. */
export function periodOf(trails: readonly (readonly TrailPoint[])[]): Period | undefined {
  const ends = trails.flatMap((trail) => [trail[0], trail.at(-1)].flatMap((point) => (point ? [point.at] : [])));
  if (ends.length === 0) return undefined;
  const period = { from: Math.min(...ends), to: Math.max(...ends) };
  return period.from < period.to ? period : undefined;
}

/** Returns the location at a time, between two points in proportion to the time. Undefined before the first point. */
export function placeAt(trail: readonly TrailPoint[], at: number): Place | undefined {
  const next = countUntil(trail, at);
  const before = trail[next - 1];
  const after = trail[next];
  if (before === undefined || after === undefined) return before;
  // The line would run around the world.
  if (Math.abs(after.lng - before.lng) > 180) return before;
  const share = (at - before.at) / (after.at - before.at);
  return {
    lat: before.lat + (after.lat - before.lat) * share,
    lng: before.lng + (after.lng - before.lng) * share,
  };
}

/** Returns how many points of a trail are not later than a time. */
function countUntil(trail: readonly { readonly at: number }[], at: number): number {
  let low = 0;
  let high = trail.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((trail[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
