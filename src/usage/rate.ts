/** Counts each project's requests in the current second of the wall clock. */
import type { Problem } from '../lib/problem.ts';
import { type KeyLimits, toLimitExceeded } from './limits.ts';

/** The rejection of a request that exceeds the rate limit. */
export interface RateRejection {
  readonly problem: Problem;
  /** Whether it is the first rejection of its project in this second. */
  readonly isFirst: boolean;
}

export interface Rate {
  /**
   * Counts a request at a time in monotonic milliseconds, unless it has no limit. Returns undefined if it is within the
   * limit: that of its API key (`own`), or of the profile.
   */
  check(project: string, elapsedMs: number, own?: KeyLimits): RateRejection | undefined;
}

const windowMs = 1000;

export function createRate(ofProfile: number | undefined, onRefused: () => void): Rate {
  const counts = new Map<string, number>();
  let window = 0;
  return {
    check: (project, elapsedMs, own) => {
      const limit = own?.requestsPerSecond ?? ofProfile;
      if (limit === undefined) return undefined;
      const current = Math.floor(elapsedMs / windowMs);
      if (current !== window) counts.clear();
      window = current;
      const count = counts.get(project) ?? 0;
      counts.set(project, count + 1);
      if (count < limit) return undefined;
      onRefused();
      const isOfKey = own?.requestsPerSecond !== undefined;
      const problem = toLimitExceeded({ name: 'requestsPerSecond', limit, held: limit, added: 1, isOfKey });
      return { problem, isFirst: count === limit };
    },
  };
}
