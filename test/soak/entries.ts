/** The entries of a list, good and bad, and what becomes of them. */
import type { OperationId } from '../../src/operations/index.ts';
import type { Dice } from '../model/draws.ts';
import type { Life } from './life.ts';
import type { Foreseen } from './step.ts';

/** What is wrong with an entry, or nothing. */
export type Fate = 'good' | 'bad' | 'refused' | 'failing' | 'failingLate' | 'impossible';

export interface Drawn {
  readonly id: string;
  readonly fate: Fate;
}

/** When what was accepted is carried out. */
const processingMs = 200;
/** When a `FAIL-LATE-…` fails. */
const lateMs = 30_000;

const prefixes: Readonly<Partial<Record<Fate, string>>> = {
  refused: 'REFUSE',
  failing: 'FAIL-GEOCODE',
  failingLate: 'FAIL-LATE',
};

/** How many entries: mostly a few, rarely as many as 300. */
export function drawCount(dice: Dice): number {
  const kind = dice.below(100);
  if (kind < 70) return 1 + dice.below(5);
  return kind < 95 ? 6 + dice.below(35) : 41 + dice.below(260);
}

/** What is wrong with some entries of a request: they are refused at once, or fail downstream, or nothing is. */
export type Flaw = 'refusal' | 'failure' | 'none';

/** Most requests are as they should be. */
export function drawFlaw(dice: Dice): Flaw {
  const kind = dice.below(100);
  if (kind < 70) return 'none';
  return kind < 78 ? 'refusal' : 'failure';
}

/** The fate of one entry of a request with a flaw; `impossible` where what is asked for can't be done with its id. */
export function drawFate(dice: Dice, life: Life, flaw: Flaw, canBeImpossible: boolean): Fate {
  if (flaw === 'none' || dice.often(60)) return 'good';
  if (flaw === 'refusal') return dice.of(['bad', 'refused']);
  // Half a minute is a long time but where time can be made to pass; lost ones are counted in the order of requests.
  if (life.isFrozen && !life.story.isCounted && dice.often(20)) return 'failingLate';
  return canBeImpossible && dice.often(50) ? 'impossible' : 'failing';
}

/** A new id for an entry of this fate. */
export function newId(life: Life, fate: Fate): string {
  return life.nextId(prefixes[fate] ?? 'N');
}

/** What comes of a list of entries, which is carried out at once or later. */
export function foreseeList(
  life: Life,
  operation: OperationId,
  entries: readonly Drawn[],
): Foreseen & { readonly done: readonly string[] } {
  const isLater = operation.startsWith('async');
  const refused: string[] = [];
  const failed: string[] = [];
  const done: string[] = [];
  const told = new Map<number, string[]>();
  entries.forEach(({ id, fate }, index) => {
    const turn = fate === 'bad' ? undefined : life.turns.entry(operation, index + 1);
    if (fate === 'bad' || fate === 'refused' || turn === 'refuse') {
      refused.push(id);
      failed.push(id);
      return;
    }
    const afterMs = turn ? turn.failsAfterMs : failsAfter(fate);
    if (afterMs === undefined) {
      done.push(id);
      return;
    }
    failed.push(id);
    told.set(afterMs, [...(told.get(afterMs) ?? []), id]);
  });
  return isLater
    ? { status: 202, failed: refused, taken: entries.length - refused.length, told: [...told.values()], done }
    : { status: 200, failed, taken: entries.length - failed.length, told: [], done };
}

function failsAfter(fate: Fate): number | undefined {
  if (fate === 'failing' || fate === 'impossible') return processingMs;
  return fate === 'failingLate' ? lateMs : undefined;
}

/** What comes of a single record that is carried out at once; it is answered so where all is well. */
export function foreseeOne(fate: Fate, well: number, impossible: number): Foreseen {
  const statuses: Readonly<Record<Fate, number>> = {
    good: well,
    bad: 400,
    refused: 400,
    failing: 422,
    failingLate: 422,
    impossible,
  };
  return { status: statuses[fate], told: [] };
}
