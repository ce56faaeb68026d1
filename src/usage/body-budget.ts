/** Limits the total size of all request bodies that are being read at the same time. */
import type { Problem } from '../lib/problem.ts';

export interface BodyBudget {
  /** Maximum size of all bodies together, in bytes. */
  readonly max: number;
  /** Reserves bytes. Returns false if that exceeds the maximum. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  /** Returns the problem for a request whose body exceeds the maximum, and counts it. */
  refusal(): Problem;
}

export function createBodyBudget(max: number, onRefused: () => void = () => undefined): BodyBudget {
  let taken = 0;
  return {
    max,
    take: (bytes) => {
      if (taken + bytes > max) return false;
      taken += bytes;
      return true;
    },
    give: (bytes) => {
      taken -= bytes;
    },
    refusal: () => {
      onRefused();
      const limit = max.toLocaleString('en');
      const message = `the bodies that the server is receiving must be at most ${limit} bytes together, an eighth of --memory; try again in 1 s`;
      return { kind: 'unavailable', message, headers: { 'retry-after': '1' } };
    },
  };
}
