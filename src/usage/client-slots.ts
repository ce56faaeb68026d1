/** Counts the waiting clients of each project and of the server, and enforces limits on both. */
import type { Problem } from '../lib/problem.ts';
import { type KeyLimits, toLimitExceeded, toServerBusy } from './limits.ts';
import type { ByteTotal } from './project-usage.ts';

export interface ClientSlots {
  /**
   * Returns the problem if no more clients may wait in a project, or without a project, or undefined. The limits `own`
   * of the client's API key replace the one of the profile.
   */
  check(project: string | undefined, own?: KeyLimits): Problem | undefined;
  /** Takes a slot. Returns a function that releases it; later calls of it do nothing. */
  take(project: string | undefined): () => void;
  count(project: string): number;
}

interface Parts {
  readonly name: 'waiting' | 'followers';
  /** Maximum number in a project. */
  readonly limit: number | undefined;
  /** Maximum number in all projects together. */
  readonly max: number;
  /** Heap size of each waiting client, in bytes. */
  readonly bytesEach: number;
  readonly memory: ByteTotal;
  onRejected(): void;
}

export function createClientSlots({ name, limit: ofProfile, max, bytesEach, memory, onRejected }: Parts): ClientSlots {
  /** Taken slots by project. Clients that wait in no project are counted under the empty name, which no project has. */
  const taken = new Map<string, number>();
  let total = 0;

  const count = (project = ''): number => taken.get(project) ?? 0;

  function check(project: string | undefined, own?: KeyLimits): Problem | undefined {
    const held = count(project);
    const limit = own?.[name] ?? ofProfile;
    const isOfKey = own?.[name] !== undefined;
    const problem =
      limit !== undefined && held >= limit
        ? toLimitExceeded({ name, limit, held, added: 1, isOfKey })
        : total >= max
          ? toServerBusy(name, max)
          : undefined;
    if (problem) onRejected();
    return problem;
  }

  return {
    check,
    count,
    take: (project = '') => {
      taken.set(project, count(project) + 1);
      total += 1;
      memory.bytes += bytesEach;
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        total -= 1;
        memory.bytes -= bytesEach;
        const remaining = count(project) - 1;
        if (remaining > 0) taken.set(project, remaining);
        else taken.delete(project);
      };
    },
  };
}
