/** Valid and invalid entries of a list, and their expected results. */
import type { OperationId } from '../../src/operations/index.ts';
import type { Dice } from '../model/dice.ts';
import { processingMs } from '../model/rules.ts';
import type { Life } from './life.ts';
import type { Expected } from './step.ts';

/** What is wrong with an entry, or nothing. */
export type Fate = 'good' | 'bad' | 'refused' | 'failing' | 'failingLate' | 'impossible';

export interface Drawn {
  readonly id: string;
  readonly fate: Fate;
}

/** When a `FAIL-LATE-…` fails. */
const lateMs = 30_000;

const prefixes: Readonly<Partial<Record<Fate, string>>> = {
  refused: 'REFUSE',
  failing: 'FAIL-GEOCODE',
  failingLate: 'FAIL-LATE',
};

/** Draws a number of entries: 1 to 5 in 70 % of draws, at most 300. */
export function drawCount(dice: Dice): number {
  const kind = dice.below(100);
  if (kind < 70) return 1 + dice.below(5);
  return kind < 95 ? 6 + dice.below(35) : 41 + dice.below(260);
}

/** What is wrong with some entries of a request: a rejection now, a failure downstream, or nothing. */
export type Flaw = 'refusal' | 'failure' | 'none';

/** Draws no flaw for 70 % of requests. */
export function drawFlaw(dice: Dice): Flaw {
  const kind = dice.below(100);
  if (kind < 70) return 'none';
  return kind < 78 ? 'refusal' : 'failure';
}

/** Draws the fate of one entry; `impossible` means that its id exists already or is unknown. */
export function drawFate(dice: Dice, life: Life, flaw: Flaw, canBeImpossible: boolean): Fate {
  if (flaw === 'none' || dice.often(60)) return 'good';
  if (flaw === 'refusal') return dice.of(['bad', 'refused']);
  // A failure after 30 s needs a clock that can be advanced, and a story that does not count requests.
  if (life.isFrozen && !life.story.isCounted && dice.often(20)) return 'failingLate';
  return canBeImpossible && dice.often(50) ? 'impossible' : 'failing';
}

/** A new id for an entry of this fate. */
export function newId(life: Life, fate: Fate): string {
  return life.nextId(prefixes[fate] ?? 'N');
}

/** Returns the expected result of a list of entries, which is applied now or later. */
export function expectList(
  life: Life,
  operation: OperationId,
  entries: readonly Drawn[],
): Expected & { readonly done: readonly string[] } {
  const isLater = operation.startsWith('async');
  const refused: string[] = [];
  const failed: string[] = [];
  const done: string[] = [];
  const callbacks = new Map<number, string[]>();
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
    callbacks.set(afterMs, [...(callbacks.get(afterMs) ?? []), id]);
  });
  return isLater
    ? {
        status: 202,
        failed: refused,
        accepted: entries.length - refused.length,
        callbacks: [...callbacks.values()],
        done,
      }
    : { status: 200, failed, accepted: entries.length - failed.length, callbacks: [], done };
}

function failsAfter(fate: Fate): number | undefined {
  if (fate === 'failing' || fate === 'impossible') return processingMs;
  return fate === 'failingLate' ? lateMs : undefined;
}

/** Returns the expected result of a single record that is applied now. `well` and `impossible` are statuses. */
export function expectOne(fate: Fate, well: number, impossible: number): Expected {
  const statuses: Readonly<Record<Fate, number>> = {
    good: well,
    bad: 400,
    refused: 400,
    failing: 422,
    failingLate: 422,
    impossible,
  };
  return { status: statuses[fate], callbacks: [] };
}
