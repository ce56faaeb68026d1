import { hash, timingSafeEqual } from 'node:crypto';

/** Compares two texts by their digests, in a time that does not depend on their contents. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}
