/** Compares the callbacks of one life of a project with the expected ones: which, how often, and in which order. */
import type { Findings } from './findings.ts';

/** A callback that a request should cause. */
export interface ExpectedCallback {
  readonly requestId: string;
  /** The ids that failed, in the order of the request. */
  readonly ids: readonly string[];
  /** How often it should arrive: 0 if a scenario drops it. */
  readonly times: number;
}

/** A received callback. */
export interface Arrival {
  /** Its `webhook-id`. */
  readonly id: string;
  readonly requestId: string;
  readonly ids: readonly string[];
  /** When it was created, by the project's clock. */
  readonly atMs: number;
}

/** How often each id arrived, in the order of arrival. */
export interface Account {
  readonly arrivals: readonly string[];
  readonly timesOf: (id: string) => number;
}

export interface Ledger {
  expect(callback: ExpectedCallback): void;
  /** Notes an arrival. `isRefused` means that the receiver rejects it, so that the sandbox retries. */
  received(arrival: Arrival, isRefused: boolean): void;
  /** Expects a callback that arrived before once more. */
  again(id: string): void;
  /** Returns the number of expected callbacks that have not arrived. */
  outstanding(): number;
  /** Returns the number of callbacks that scenarios drop. */
  dropped(): number;
  account(): Account;
  /** Reports all differences. Call it when nothing more can arrive. */
  close(): void;
}

/** The callbacks about the same entries of one request. */
interface Line {
  readonly words: string;
  /**
   * How often each callback should arrive. There are two if a request contains an id twice that fails at two times.
   * Empty before the response to the request, because the callback may arrive earlier.
   */
  readonly asked: number[];
  /** The received callbacks by `webhook-id`. */
  readonly ids: Map<string, Count>;
}

interface Count {
  received: number;
  /** How often it was expected again: after a rejection or a redelivery. */
  again: number;
}

/** Creates the ledger of a project. Callbacks may arrive out of order by up to `gatheredMs`. */
export function createLedger(name: string, findings: Findings, gatheredMs = 0): Ledger {
  const lines = new Map<string, Line>();
  const byId = new Map<string, Line>();
  const timesOf = new Map<string, number>();
  const arrivals: string[] = [];
  let latestMs = Number.NEGATIVE_INFINITY;

  function lineOf(requestId: string, ids: readonly string[]): Line {
    const key = `${requestId} ${ids.join()}`;
    const known = lines.get(key);
    if (known) return known;
    const line: Line = { words: `${name} ${key.slice(0, 120)}`, asked: [], ids: new Map() };
    lines.set(key, line);
    return line;
  }

  function countOf({ ids }: Line, id: string): Count {
    const count = ids.get(id) ?? { received: 0, again: 0 };
    ids.set(id, count);
    return count;
  }

  function checkOrder({ id, atMs }: Arrival): void {
    // The order is that of first attempts.
    if (timesOf.has(id)) return;
    if (atMs < latestMs - gatheredMs)
      findings.found('order', () => `${name}: ${id} of ${toTime(atMs)} arrived after one of ${toTime(latestMs)}`);
    latestMs = Math.max(latestMs, atMs);
  }

  return {
    expect: ({ requestId, ids, times }) => void lineOf(requestId, ids).asked.push(times),
    received: (arrival, isRefused) => {
      checkOrder(arrival);
      const { id, requestId, ids } = arrival;
      const line = lineOf(requestId, ids);
      byId.set(id, line);
      timesOf.set(id, (timesOf.get(id) ?? 0) + 1);
      arrivals.push(id);
      const count = countOf(line, id);
      count.received += 1;
      if (isRefused) count.again += 1;
    },
    again: (id) => {
      const line = byId.get(id);
      if (line) countOf(line, id).again += 1;
    },
    outstanding: () => sum([...lines.values()].map(missing)),
    dropped: () => [...lines.values()].flatMap(({ asked }) => asked).filter((times) => times === 0).length,
    account: () => ({ arrivals, timesOf: (id) => timesOf.get(id) ?? 0 }),
    close: () => {
      for (const line of lines.values()) judge(line, findings);
    },
  };
}

/** Each id is one callback. Both their number and how often each arrives must be as expected. */
function judge({ words, asked, ids }: Line, findings: Findings): void {
  const wanted = asked.filter((times) => times > 0);
  const got = timesOfEach(ids);
  if (asked.length > 0 && wanted.toSorted().join() === got.toSorted().join()) return;
  const check = asked.length === 0 ? 'unasked' : sum(got) < sum(wanted) ? 'lost' : 'surplus';
  const seen = [...ids].map(
    ([id, { received, again }]) => `${id} ${received} times${again > 0 ? ` (${again} again)` : ''}`,
  );
  findings.found(
    check,
    () => `${words}: expected ${wanted.join(' and ') || 'none'}, received ${seen.join(' and ') || 'none'}`,
  );
}

/** How often each arrived, without expected repetitions. */
const timesOfEach = (ids: Line['ids']): readonly number[] =>
  [...ids.values()].map(({ received, again }) => received - again);
const missing = ({ asked, ids }: Line): number => Math.max(0, sum(asked) - sum(timesOfEach(ids)));
const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

const toTime = (ms: number): string => new Date(ms).toISOString();
