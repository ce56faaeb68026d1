/** Formats latitudes and longitudes. */
import type { Place } from './trail-time.ts';

/** A minute of arc, in degrees. */
export const minute: number = 1 / 60;

/** Formats degrees as precisely as the step needs: `27°30′S`. */
export function degrees(value: number, positive: string, negative: string, step: number): string {
  const seconds = Math.round(Math.abs(value) * 3600);
  const [whole, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (part: number): string => String(part).padStart(2, '0');
  const direction = seconds === 0 ? '' : value < 0 ? negative : positive;
  const fraction = step >= 1 ? '' : `${two(minutes)}′${step >= minute ? '' : `${two(rest)}″`}`;
  return `${whole}°${fraction}${direction}`;
}

/** Formats latitude and longitude with a precision of about one meter. */
export function placeText({ lat, lng }: Place): string {
  return `${lat.toFixed(5)}, ${lng.toFixed(5)}`;
}
