/** The books of one life of a project: which callbacks were asked for, and which came, how often and in which order. */
import type { Findings } from './findings.ts';

/** A callback that a request should set off. */
export interface Told {
  readonly requestId: string;
  /** The ids that failed, in the order of the request. */
  readonly ids: readonly string[];
  /** How often it is to come: 0 where a scenario loses it. */
  readonly times: number;
}

/** One that came. */
export interface Arrival {
  /** Its `webhook-id`. */
  readonly id: string;
  readonly requestId: string;
  readonly ids: readonly string[];
  /** When it was raised, by the project's clock. */
  readonly atMs: number;
}

/** How often each id came, in the order of arrival. */
export interface Account {
  readonly arrivals: readonly string[];
  readonly timesOf: (id: string) => number;
}

export interface Ledger {
  expect(told: Told): void;
  /** Notes an arrival; `isRefused` where the receiver answers so that it comes again. */
  came(arrival: Arrival, isRefused: boolean): void;
  /** Of a callback that came before: it is to come once more. */
  again(id: string): void;
  /** How many are still to come. */
  outstanding(): number;
  /** How many were to be lost on purpose. */
  dropped(): number;
  account(): Account;
  /** Judges the whole when nothing more can come. */
  close(): void;
}

/** What is told of the same entries of one request. */
interface Line {
  readonly words: string;
  /**
   * How often each callback is to come: there are two where an id stands twice in its request and fails at two instants.
   * Of none nobody has asked, or not yet: it may come before its request's answer.
   */
  readonly asked: number[];
  /** What came, by its `webhook-id`. */
  readonly ids: Map<string, Count>;
}

interface Count {
  came: number;
  /** How often it is to come once more, beside what was asked for at first. */
  again: number;
}

/**
 * Books for a project whose callbacks are due so long after they were raised, on the dot or (`isGathered`) together with
 * others in any order.
 */
export function createLedger(name: string, findings: Findings, gatheredMs = 0): Ledger {
  const lines = new Map<string, Line>();
  const byId = new Map<string, Line>();
  const timesOf = new Map<string, number>();
  const arrivals: string[] = [];
  let latestMs = Number.NEGATIVE_INFINITY;
  let outstanding = 0;

  function lineOf(requestId: string, ids: readonly string[]): Line {
    const key = `${requestId} ${ids.join()}`;
    const known = lines.get(key);
    if (known) return known;
    const line: Line = { words: `${name} ${key.slice(0, 120)}`, asked: [], ids: new Map() };
    lines.set(key, line);
    return line;
  }

  function countOf({ ids }: Line, id: string): Count {
    const count = ids.get(id) ?? { came: 0, again: 0 };
    ids.set(id, count);
    return count;
  }

  const missing = ({ asked, ids }: Line): number => Math.max(0, sum(asked) - sum(timesOfEach(ids)));

  function change(line: Line, apply: () => void): void {
    const before = missing(line);
    apply();
    outstanding += missing(line) - before;
  }

  function checkOrder({ id, atMs }: Arrival): void {
    // What comes again has had its turn.
    if (timesOf.has(id)) return;
    if (atMs < latestMs - gatheredMs)
      findings.found('order', () => `${name}: ${id} of ${toTime(atMs)} came after one of ${toTime(latestMs)}`);
    latestMs = Math.max(latestMs, atMs);
  }

  return {
    expect: ({ requestId, ids, times }) => {
      const line = lineOf(requestId, ids);
      change(line, () => line.asked.push(times));
    },
    came: (arrival, isRefused) => {
      checkOrder(arrival);
      const { id, requestId, ids } = arrival;
      const line = lineOf(requestId, ids);
      byId.set(id, line);
      timesOf.set(id, (timesOf.get(id) ?? 0) + 1);
      arrivals.push(id);
      change(line, () => {
        const count = countOf(line, id);
        count.came += 1;
        // Asked for by its answer: also of one whose request is yet to be answered.
        if (isRefused) count.again += 1;
      });
    },
    again: (id) => {
      const line = byId.get(id);
      if (line)
        change(line, () => {
          countOf(line, id).again += 1;
        });
    },
    outstanding: () => outstanding,
    dropped: () => [...lines.values()].flatMap(({ asked }) => asked).filter((times) => times === 0).length,
    account: () => ({ arrivals, timesOf: (id) => timesOf.get(id) ?? 0 }),
    close: () => {
      for (const line of lines.values()) judge(line, findings);
    },
  };
}

/** Each id is one callback: as many of them as were asked for, and each as often. */
function judge({ words, asked, ids }: Line, findings: Findings): void {
  const wanted = asked.filter((times) => times > 0);
  const got = timesOfEach(ids);
  if (asked.length > 0 && wanted.toSorted().join() === got.toSorted().join()) return;
  const check = asked.length === 0 ? 'unasked' : sum(got) < sum(wanted) ? 'lost' : 'surplus';
  const seen = [...ids].map(([id, { came, again }]) => `${id} ${came} times${again > 0 ? ` (${again} again)` : ''}`);
  findings.found(
    check,
    () => `${words}: wanted ${wanted.join(' and ') || 'none'}, came ${seen.join(' and ') || 'none'}`,
  );
}

/** How often each came, but for when it was asked for again. */
const timesOfEach = (ids: Line['ids']): readonly number[] => [...ids.values()].map(({ came, again }) => came - again);
const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

const toTime = (ms: number): string => new Date(ms).toISOString();
