/** Logs what each advance of a frozen clock did, in memory. */

/** One item of due work that ran, at the project's time in milliseconds. */
export type WorkDone = { readonly at: number; readonly requestId: string; readonly operation: string } & (
  | {
      readonly kind: 'command';
      /** Number of entries, and of those that failed. */
      readonly entries: number;
      readonly failed: number;
    }
  /** Has neither `status` nor `error` if the callback was stored in the inbox. */
  | { readonly kind: 'callback'; readonly callbackId: string; readonly status?: number; readonly error?: string }
);

/** What one advance did. Times are those of the project, in milliseconds. */
export interface Advance {
  /** Counts the advances of the project, from 1. */
  readonly number: number;
  readonly from: number;
  readonly to: number;
  readonly processed: number;
  readonly delivered: number;
  /** How many of those the inbox stored. */
  readonly inbox: number;
  readonly failedAttempts: number;
  /** Number of commands and attempts that were not complete afterwards. */
  readonly pending: number;
  readonly work: readonly WorkDone[];
  /** Number of items that are not in `work`. */
  readonly workOmitted: number;
}

/** An advance in progress. */
export interface StartedAdvance {
  end(result: Pick<Advance, 'processed' | 'delivered' | 'pending'> & { readonly now: number }): void;
}

/** What an advance has done until now. */
interface Current {
  readonly work: WorkDone[];
  omitted: number;
  inbox: number;
  failedAttempts: number;
}

/** Maximum number of advances, of items per advance, and of items of all advances, about 300 kB. */
const maxAdvances = 50;
const maxWork = 200;
const maxWorkInAll = 1000;

/** Sizes of an advance without its work, and of an item of work, in bytes. */
const advanceBytes = 200;
const workBytes = 250;

export class AdvanceLog {
  readonly #resized: (bytes: number) => void;
  #advances: readonly Advance[] = [];
  #number = 0;
  #current: Current | undefined;

  /** Creates an empty log. `resized` receives its size in bytes at each change. */
  constructor(resized: (bytes: number) => void) {
    this.#resized = resized;
  }

  /** Starts an entry at the project's time; what runs is noted in it until it ends, or until the next one starts. */
  begin(from: number): StartedAdvance {
    const started: Current = { work: [], omitted: 0, inbox: 0, failedAttempts: 0 };
    this.#current = started;
    return {
      end: ({ now: to, processed, delivered, pending }) => {
        if (this.#current === started) this.#current = undefined;
        this.#number += 1;
        const { omitted: workOmitted, ...counts } = started;
        const ended = { number: this.#number, from, to, processed, delivered, pending, ...counts, workOmitted };
        this.#advances = withoutOldWork([ended, ...this.#advances].slice(0, maxAdvances));
        this.#resized(sizeOf(this.#advances));
      },
    };
  }

  note(work: WorkDone): void {
    const current = this.#current;
    if (!current) return;
    if (current.work.length < maxWork) current.work.push(work);
    else current.omitted += 1;
    if (work.kind !== 'callback') return;
    if (work.error !== undefined || (work.status ?? 0) >= 300) current.failedAttempts += 1;
    else if (work.status === undefined) current.inbox += 1;
  }

  /** Returns the last advances, newest first. */
  list(): readonly Advance[] {
    return this.#advances;
  }
}

function sizeOf(advances: readonly Advance[]): number {
  return advances.reduce((size, { work }) => size + advanceBytes + workBytes * work.length, 0);
}

/** Drops the work of the oldest advances, if all of them have too much. */
function withoutOldWork(advances: readonly Advance[]): readonly Advance[] {
  let total = 0;
  return advances.map((advance) => {
    const { work, workOmitted } = advance;
    total += work.length;
    return total <= maxWorkInAll || work.length === 0
      ? advance
      : { ...advance, work: [], workOmitted: workOmitted + work.length };
  });
}
