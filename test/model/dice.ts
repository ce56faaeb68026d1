/** Random draws that a seed repeats. */

export interface Dice {
  /** Returns a whole number from 0 to `count` - 1. */
  below(count: number): number;
  of<T>(choices: readonly T[]): T;
  /** Returns true in `percent` of 100 draws. */
  often(percent: number): boolean;
}

/** Creates dice whose draws depend only on the seed (mulberry32). */
export function createDice(seed: number): Dice {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return { below, of: (choices) => choices[below(choices.length)] as never, often: (percent) => below(100) < percent };
}
