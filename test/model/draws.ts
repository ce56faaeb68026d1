/** Random parts of requests: ids, entries, paths. */
import type { Fields } from './rules.ts';

/** A draw from what there is. */
export interface Dice {
  below(count: number): number;
  of<T>(choices: readonly T[]): T;
  /** True so often in a hundred. */
  often(percent: number): boolean;
}

/** The same draws for the same number (mulberry32). */
export function createDice(number: number): Dice {
  let state = number;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return { below, of: (choices) => choices[below(choices.length)] as never, often: (percent) => below(100) < percent };
}

export interface Batch {
  readonly project: string;
  readonly sub: string | undefined;
  readonly operation: string;
  readonly isLater: boolean;
}

export const ids: readonly string[] = ['A', 'B', 'C', 'D', 'E', '__proto__', 'a/b ä'];
export const inPath = (id: string): string => encodeURIComponent(id);
export const base = ({ project, sub, isLater }: Batch): string =>
  `/${isLater ? 'async' : 'sync'}/projects/${project}${sub === undefined ? '' : `/subprojects/${sub}`}`;
export const named = (name: string, { sub, isLater }: Batch): string =>
  `${isLater ? 'async' : 'sync'}${name}${sub === undefined ? '' : 'InSubproject'}`;

/** Fields of an entry, some of which not every entry may have; one in eight is not as it should be. */
export function drawEntry(dice: Dice, status: string, given: Fields = {}): unknown {
  if (dice.often(3)) return dice.of([null, 'text', [], 7]);
  const all: Fields = {
    status,
    sequence: dice.below(9),
    tags: dice.of([[], ['a'], ['b', 'c']]),
    attributes: dice.of([{}, { a: 1 }, { b: { c: null } }]),
    subProjectId: dice.of(['north', 'south', 'west']),
    customer: dice.of([{}, { email: 'a@b.example' }]),
    commsOptOut: dice.often(50),
    address: dice.of([{}, { postcode: '4000' }, { region: 'QLD' }]),
    driver: dice.of([null, {}, { firstName: 'Ana' }, { phone: '1' }]),
    proofOfDelivery: dice.of([[], [{ by: 'Ana' }]]),
    deliveryDate: '2026-03-02T09:30:00+10:00',
    trackingId: dice.of(['T-1', 'T-2']),
    trackId: dice.of(['T-1', 'T-2']),
    colour: 'red',
  };
  const entry: Record<string, unknown> = { id: dice.of(ids) };
  for (const [name, value] of Object.entries(all)) if (dice.often(name === 'status' ? 55 : 22)) entry[name] = value;
  if (dice.often(10))
    Object.assign(
      entry,
      dice.of([{ status: 'LOST' }, { id: 7 }, { sequence: 1.5 }, { address: null }, { status: 'READY' }]),
    );
  if (dice.often(3)) delete entry['id'];
  return { ...entry, ...given };
}

export const drawStatus = (dice: Dice): string =>
  dice.of(['PENDING', 'DISPATCH', 'DELIVERED', 'UNDELIVERED', 'ARRIVING', 'CANCELLED']);
export const drawList = (dice: Dice, draw: () => unknown): unknown[] => Array.from({ length: dice.below(4) }, draw);

export const idOf = (entry: unknown): string => {
  const id = (entry as Fields | null)?.['id'];
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
};
