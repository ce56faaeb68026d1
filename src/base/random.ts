/** Values that look random and are not: a hash of what they stand for, so that the order of calls can't change them. */

/** How many bits a hash has, as two unsigned 32-bit halves. */
interface Hash {
  readonly high: number;
  readonly low: number;
}

const primeA = 0x9e3779b1;
const primeB = 0x85ebca77;

/**
 * A hash that can be continued: `createHash('seed', 'project', 'job')` is computed once, `.of(id)` for each id.
 * Not cryptographic: it guards nothing, it only names.
 */
export interface SeededHash {
  /** 16 hexadecimal digits. */
  of(text: string): string;
  /** A number from 0 (included) to 1 (excluded). */
  fraction(text: string): number;
}

/** A hash of these parts, which are kept apart: ('ab', 'c') and ('a', 'bc') differ. */
export function createHash(...parts: readonly string[]): SeededHash {
  const start = parts.reduce<Hash>((hash, part) => mix(hash, part), { high: primeA, low: primeB });
  return {
    of: (text) => {
      const { high, low } = finish(mix(start, text));
      return toHex(high) + toHex(low);
    },
    fraction: (text) => {
      const { high, low } = finish(mix(start, text));
      return (high * 0x200000 + (low >>> 11)) / 2 ** 53;
    },
  };
}

function mix(hash: Hash, text: string): Hash {
  let high = hash.high ^ text.length;
  let low = hash.low;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x5f356495);
    low = Math.imul(low ^ code, 0x0b4f2e8d) + (high >>> 15);
  }
  return { high: Math.imul(high ^ (low >>> 13), primeA), low: Math.imul(low ^ (high >>> 16), primeB) };
}

function finish(hash: Hash): Hash {
  let { high, low } = hash;
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return { high: (high ^ (high >>> 16)) >>> 0, low: (low ^ (low >>> 15)) >>> 0 };
}

function toHex(half: number): string {
  return half.toString(16).padStart(8, '0');
}
