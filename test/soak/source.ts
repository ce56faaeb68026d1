/** What random requests are drawn from. */
import type { Json } from '../../src/lib/json.ts';
import type { Dice } from '../model/dice.ts';
import type { Bodies } from './bodies.ts';
import type { Life } from './life.ts';

export interface Source {
  readonly dice: Dice;
  readonly bodies: Bodies;
  readonly life: Life;
}

/** Returns a record that every operation rejects. */
export const spoilt = (fields: Json): Json => ({ ...fields, status: 'LOST' });
