/** Counts the waiting clients of each project, of each API key and of the server, and enforces limits on all three. */
import type { Problem } from '../lib/problem.ts';
import { type KeyLimits, keyShare, toLimitExceeded, toServerBusy } from './limits.ts';
import type { ByteTotal } from './project-usage.ts';

/** The API key of a waiting client. */
export interface SlotKey {
  readonly id: string;
  readonly limits: KeyLimits | undefined;
}

export interface ClientSlots {
  /**
   * Returns the problem if no more clients may wait in a project, or without a project, or undefined. The limits of the
   * client's API key replace the one of the profile. No key takes more than half of all slots, however many projects it has.
   */
  check(project: string | undefined, key?: SlotKey): Problem | undefined;
  /** Takes a slot. Returns a function that releases it; later calls of it do nothing. */
  take(project: string | undefined, key?: SlotKey): () => void;
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
  const takenByKey = new Map<string, number>();
  let total = 0;

  const count = (project = ''): number => taken.get(project) ?? 0;

  function findProblem(project: string | undefined, key: SlotKey | undefined): Problem | undefined {
    const held = count(project);
    const own = key?.limits?.[name];
    const limit = own ?? ofProfile;
    if (limit !== undefined && held >= limit)
      return toLimitExceeded({ name, limit, held, added: 1, isOfKey: own !== undefined });
    const share = max * keyShare;
    if (key && (takenByKey.get(key.id) ?? 0) >= share) return toServerBusy(name, share, ' of one API key');
    return total >= max ? toServerBusy(name, max) : undefined;
  }

  return {
    check: (project, key) => {
      const problem = findProblem(project, key);
      if (problem) onRejected();
      return problem;
    },
    count,
    take: (project = '', key) => {
      add(taken, project, 1);
      if (key) add(takenByKey, key.id, 1);
      total += 1;
      memory.bytes += bytesEach;
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        total -= 1;
        memory.bytes -= bytesEach;
        add(taken, project, -1);
        if (key) add(takenByKey, key.id, -1);
      };
    },
  };
}

function add(counts: Map<string, number>, name: string, change: number): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}
