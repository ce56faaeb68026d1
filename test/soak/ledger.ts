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

interface Line {
  readonly words: string;
  /** undefined: nobody has asked for it, or not yet: it may come before its request's answer. */
  asked: number | undefined;
  came: number;
  readonly ids: Set<string>;
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
    const line = { words: `${name} ${key.slice(0, 120)}`, asked: undefined, came: 0, ids: new Set<string>() };
    lines.set(key, line);
    return line;
  }

  const missing = ({ asked = 0, came }: Line): number => Math.max(0, asked - came);

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
      change(line, () => {
        line.asked = (line.asked ?? 0) + times;
      });
    },
    came: (arrival, isRefused) => {
      checkOrder(arrival);
      const { id, requestId, ids } = arrival;
      const line = lineOf(requestId, ids);
      line.ids.add(id);
      byId.set(id, line);
      timesOf.set(id, (timesOf.get(id) ?? 0) + 1);
      arrivals.push(id);
      change(line, () => {
        line.came += 1;
        // Asked for by its answer: also of one whose request is yet to be answered.
        if (isRefused) line.asked = (line.asked ?? 0) + 1;
      });
    },
    again: (id) => {
      const line = byId.get(id);
      if (line)
        change(line, () => {
          line.asked = (line.asked ?? 0) + 1;
        });
    },
    outstanding: () => outstanding,
    dropped: () => [...lines.values()].filter(({ asked }) => asked === 0).length,
    account: () => ({ arrivals, timesOf: (id) => timesOf.get(id) ?? 0 }),
    close: () => {
      for (const line of lines.values()) judge(line, findings);
    },
  };
}

function judge({ words, asked, came, ids }: Line, findings: Findings): void {
  if (asked === undefined) findings.found('unasked', () => `${words}: came ${came} times`);
  else if (came < asked) findings.found('lost', () => `${words}: wanted ${asked}, came ${came} times`);
  else if (came > asked) findings.found('surplus', () => `${words}: wanted ${asked}, came ${came} times`);
  if (ids.size > 1) findings.found('surplus', () => `${words}: came under ${[...ids].join(' and ')}`);
}

const toTime = (ms: number): string => new Date(ms).toISOString();
