/** What a soak has found wrong, by check: how often, and the first of them in words. */

/** The checks that are made all the time; each passes where nothing was found. */
export const checks = {
  answers: 'every answer is the one that its request should have',
  lost: 'every failure was told: no callback is lost',
  surplus: 'each was told as often as asked for, and under one id',
  unasked: 'no callback that nobody asked for',
  afterReset: 'no callback of a project that was reset',
  signatures: 'every callback is signed rightly (standardwebhooks)',
  order: 'callbacks of a project come in the order in which they fall due',
  clock: "a project's clock never goes back",
  records: "the server's own record of callbacks and attempts agrees",
  events: 'who follows the events is told of all of them, in order',
  hostile: 'a hostile project is answered or refused, and breaks nothing',
  idle: 'when a clock was advanced until idle, nothing was left to come',
} as const;

export type Check = keyof typeof checks;

export interface Findings {
  /** Notes that a check failed; the words are asked for only while few are kept. */
  found(check: Check, words: () => string): void;
  count(check: Check): number;
  /** The first that were found by a check. */
  first(check: Check): readonly string[];
  /** How many were found in all. */
  total(): number;
}

/** So many of each check are kept in words. */
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
