/** Limits the total size of all request bodies that are being read at the same time, and the share of each API key. */
import type { Problem } from '../lib/problem.ts';
import { keyShare } from './limits.ts';

export interface BodyBudget {
  /** Maximum size of all bodies together, in bytes. */
  readonly max: number;
  /** Begins a body. `key`: the id of its API key, if it has one. */
  open(key?: string): OpenBody;
  /** Returns the problem for a request whose body exceeds the maximum, and counts it. */
  refusal(): Problem;
}

/** A body that is being read. */
export interface OpenBody {
  /** Reserves bytes. Returns false if that exceeds the maximum, or the share of its key, which a single body may exceed. */
  take(bytes: number): boolean;
  /** Gives back all bytes. Call it once. */
  close(): void;
}

interface Held {
  bytes: number;
  bodies: number;
}

export function createBodyBudget(max: number, onRefused: () => void = () => undefined): BodyBudget {
  const all: Held = { bytes: 0, bodies: 0 };
  const byKey = new Map<string, Held>();

  function open(key?: string): OpenBody {
    const ofKey = key === undefined ? undefined : (byKey.get(key) ?? { bytes: 0, bodies: 0 });
    if (key !== undefined && ofKey) byKey.set(key, ofKey);
    const holders = ofKey ? [all, ofKey] : [all];
    for (const held of holders) held.bodies += 1;
    let taken = 0;
    return {
      take: (bytes) => {
        if (all.bytes + bytes > max) return false;
        if (ofKey && ofKey.bodies > 1 && ofKey.bytes + bytes > max * keyShare) return false;
        for (const held of holders) held.bytes += bytes;
        taken += bytes;
        return true;
      },
      close: () => {
        for (const held of holders) {
          held.bytes -= taken;
          held.bodies -= 1;
        }
        if (key !== undefined && ofKey?.bodies === 0) byKey.delete(key);
      },
    };
  }

  return {
    max,
    open,
    refusal: () => {
      onRefused();
      const limit = max.toLocaleString('en');
      const message = `the bodies that the server is receiving must be at most ${limit} bytes together, an eighth of --memory, and those of one API key half of that; try again in 1 s`;
      return { kind: 'unavailable', message, headers: { 'retry-after': '1' } };
    },
  };
}
