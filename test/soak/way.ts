/** What random requests are drawn from, and where they go. */
import type { Json } from '../../src/lib/json.ts';
import type { OperationId } from '../../src/operations/index.ts';
import { base, type Dice, named } from '../model/draws.ts';
import type { Bodies } from './bodies.ts';
import type { Life } from './life.ts';

/** What requests are drawn from. */
export interface Source {
  readonly dice: Dice;
  readonly bodies: Bodies;
  readonly life: Life;
}

/** Where a request goes, and when it is carried out. */
export interface Way {
  readonly project: string;
  readonly sub: string | undefined;
  readonly isLater: boolean;
}

/** The operation of a name, as it is called for this way. */
export const operationOf = (name: string, way: Way): OperationId =>
  named(name, { ...way, operation: '' }) as OperationId;
export const baseOf = (way: Way): string => base({ ...way, operation: '' });

/** What no contract lets through. */
export const spoilt = (fields: Json): Json => ({ ...fields, status: 'LOST' });
