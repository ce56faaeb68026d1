/** Random entries of lists, and single records: one in eight has a mistake. */
import type { Dice } from './dice.ts';
import type { Fields } from './fields.ts';

export const ids: readonly string[] = ['A', 'B', 'C', 'D', 'E', '__proto__', 'a/b ä'];

/** Draws a record with fields that not every operation accepts. */
export function drawEntry(dice: Dice, status: string, fixed: Fields = {}): unknown {
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
  return { ...entry, ...fixed };
}

export const drawStatus = (dice: Dice): string =>
  dice.of(['PENDING', 'DISPATCH', 'DELIVERED', 'UNDELIVERED', 'ARRIVING', 'CANCELLED']);
export const drawList = (dice: Dice, draw: () => unknown): unknown[] => Array.from({ length: dice.below(4) }, draw);

export const idOf = (entry: unknown): string => {
  const id = (entry as Fields | null)?.['id'];
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
};
