/** Derives pseudo-random values from hashes of their inputs, so that they do not depend on the order of calls. */

/** A 64-bit hash, as two unsigned 32-bit halves. */
interface Hash {
  readonly high: number;
  readonly low: number;
}

const primeA = 0x9e3779b1;
const primeB = 0x85ebca77;

/**
 * A hash with a fixed prefix: `createHash('seed', 'project', 'job')` is computed once, `.of(id)` for each id.
 * Not cryptographic: use it for ids, never for security.
 */
export interface SeededHash {
  /** Returns 16 hexadecimal digits. */
  of(text: string): string;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  fraction(text: string): number;
}

/** Creates a hash of these parts. The boundaries count: ('ab', 'c') and ('a', 'bc') differ. */
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

/** All bytes in hexadecimal: `toString(16)` of a number over 31 bits takes several times as long as a look-up. */
const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function toHex(half: number): string {
  const [a, b, c, d] = [half >>> 24, (half >>> 16) & 0xff, (half >>> 8) & 0xff, half & 0xff];
  return `${hexOfByte[a]}${hexOfByte[b]}${hexOfByte[c]}${hexOfByte[d]}`;
}
