/** Where a driver was at a time, and the time of that. */
import { placeText } from './degrees.ts';
import { type Place, placeAt, type TrailPoint } from './trail-time.ts';

interface Located {
  readonly places: readonly Place[];
  readonly trail: readonly TrailPoint[];
}

/** `at` is undefined if the location is the latest one. */
export function whereabouts(
  { places: [latest], trail }: Located,
  time: number | undefined,
): { readonly place: string; readonly at: string | undefined } {
  const isLatest = time === undefined || trail.length === 0;
  const place = isLatest ? latest : placeAt(trail, time);
  return {
    place: place === undefined ? 'not located yet' : placeText(place),
    at: isLatest ? undefined : new Date(Math.round(time / 1000) * 1000).toISOString(),
  };
}
