/** How many runs the random tests do: few in `npm test`, all with `vitest run --mode full`. */
/// <reference types="vite/types/importMeta.d.ts" />

type Amount =
  | 'stories'
  | 'replacingStories'
  | 'validBodies'
  | 'validBodiesElsewhere'
  | 'mutants'
  | 'mutantsElsewhere'
  | 'histories'
  | 'hashedTexts'
  | 'sampleSeeds';

/** [short, full]. An amount that is itself a limit of the sandbox is not listed here. */
const table: Readonly<Record<Amount, readonly [short: number, full: number]>> = {
  /** Stories of the model test, where imports reject or replace duplicates. */
  stories: [6, 300],
  replacingStories: [3, 60],
  /** Bodies per operation: as shipped, and with other options. */
  validBodies: [5, 100],
  validBodiesElsewhere: [2, 30],
  mutants: [4, 60],
  mutantsElsewhere: [2, 20],
  /** Recorded histories. */
  histories: [10, 200],
  hashedTexts: [20_000, 200_000],
  sampleSeeds: [5, 60],
};

/** Whether all runs are done. */
export const isFull: boolean = import.meta.env.MODE === 'full';

/** Returns an amount for the mode of this run. */
export function amountOf(name: Amount): number {
  return table[name][isFull ? 1 : 0];
}

/** Returns all items in full mode, else every sixth: other ones for each `turn`, so that none is always left out. */
export function sampleOf<Item>(items: readonly Item[], turn: number): readonly Item[] {
  if (isFull) return items;
  const sample = items.filter((_item, n) => (n + turn) % 6 === 0);
  return sample.length > 0 ? sample : items.slice(0, 1);
}
