/** The faults that a soak test has found, by check: their number, and a description of the first. */

/** The checks that run all the time. */
export const checks = {
  answers: 'every response is the expected one',
  lost: 'every failure is reported: no callback is lost',
  surplus: 'every callback arrives as often as expected, under one id',
  unasked: 'no unexpected callback arrives',
  afterReset: 'no callback arrives after the reset of its project',
  signatures: 'every callback has a valid signature (standardwebhooks)',
  order: 'callbacks of a project arrive in the order in which they are due',
  clock: "a project's clock only moves forward",
  records: "the server's list of callbacks and attempts is correct",
  events: 'subscribers receive all events in order',
  hostile: 'a hostile project gets responses, and disturbs no other project',
  idle: 'nothing is pending after a clock was advanced until idle',
} as const;

export type Check = keyof typeof checks;

export interface Findings {
  /** Notes that a check failed. Calls `words` for the first faults only. */
  found(check: Check, words: () => string): void;
  count(check: Check): number;
  /** Returns descriptions of the first faults of a check. */
  first(check: Check): readonly string[];
  /** Returns the number of all faults. */
  total(): number;
}

/** The maximum number of descriptions per check. */
const maxKept = 5;

export function createFindings(): Findings {
  const found = new Map<Check, { count: number; readonly words: string[] }>();
  return {
    found: (check, words) => {
      const known = found.get(check) ?? { count: 0, words: [] };
      found.set(check, known);
      known.count += 1;
      if (known.words.length < maxKept) known.words.push(words());
    },
    count: (check) => found.get(check)?.count ?? 0,
    first: (check) => found.get(check)?.words ?? [],
    total: () => [...found.values()].reduce((sum, { count }) => sum + count, 0),
  };
}
