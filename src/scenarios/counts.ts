/** What a project remembers of each rule, and whose turn it is: claimed before anything waits, so that counts are exact. */

/** Beyond any count, and still a number that JSON can hold. */
export const forever: number = Number.MAX_SAFE_INTEGER;

/** Which of the requests that meet the other conditions: every `every`th from `from` to `to`. */
export interface RequestRange {
  readonly from: number;
  readonly to: number;
  readonly every: number;
}

/** How often a rule's conditions were met, and how often it acted. */
export interface RuleCount {
  met: number;
  acted: number;
  /** The number of the change of the world at which it first acted. */
  firstDeed?: number;
  /** How often the rules of its scenario had acted then, by their keys. */
  othersThen?: Readonly<Record<string, number>>;
  /** When `during: { afterRequests }` opened, in milliseconds of the project's clock. */
  openedAt?: number;
  /** The window of `limit` that was begun last: since when, and how many requests it has seen. */
  window?: { readonly from: number; used: number };
}

/** A project's counts, by the rule's key. */
export type RuleCounts = Map<string, RuleCount>;

/** A span of time; lengths are in milliseconds. */
export type Span =
  | { readonly afterMs: number; readonly forMs?: number }
  | { readonly afterRequests: number; readonly forMs?: number };

/** When it is a rule's turn: a plain value, so that it can go along with an instruction. */
export interface Turn {
  readonly request?: RequestRange;
  readonly during?: Span;
  readonly times?: number;
  /** When the rule was switched on, in milliseconds of the project's clock. */
  readonly since: number;
}

/** The condition that failed, and what it saw. */
export interface Missed {
  readonly code: 'during' | 'opening' | 'request' | 'times';
  readonly saw: number;
}

/**
 * Counts this request, or callback, at `now` in milliseconds; undefined where it is the rule's turn.
 * Outside of `during: { after, for }` nothing is counted, since that is one of the other conditions.
 */
export function claimTurn({ request, during, times, since }: Turn, count: RuleCount, now: number): Missed | undefined {
  if (during && 'afterMs' in during) {
    const into = now - since;
    if (into < during.afterMs || into >= during.afterMs + (during.forMs ?? Number.POSITIVE_INFINITY)) {
      return { code: 'during', saw: into };
    }
  }
  count.met += 1;
  if (during && 'afterRequests' in during && !isOpen(during, count, now)) {
    return count.met > during.afterRequests
      ? { code: 'during', saw: now - (count.openedAt ?? now) }
      : { code: 'opening', saw: count.met };
  }
  if (!isInRange(request, count.met)) return { code: 'request', saw: count.met };
  if (times !== undefined && count.acted >= times) return { code: 'times', saw: count.acted };
  return undefined;
}

/** The request that opens the span comes before it. */
function isOpen(
  { afterRequests, forMs }: Extract<Span, { afterRequests: number }>,
  count: RuleCount,
  now: number,
): boolean {
  if (count.met === afterRequests) count.openedAt = now;
  if (count.openedAt === undefined || count.met <= afterRequests) return false;
  return forMs === undefined || now < count.openedAt + forMs;
}

/** Notes that a rule acted, at this change of the world. */
export function noteDeed(counts: RuleCounts, key: string, change: number): void {
  const count = countOf(counts, key);
  const prefix = key.slice(0, key.lastIndexOf('#') + 1);
  if (count.acted === 0) {
    const others = [...counts].filter(([other, { acted }]) => acted > 0 && other.startsWith(prefix));
    count.firstDeed = change;
    count.othersThen = Object.fromEntries(others.map(([other, { acted }]) => [other, acted]));
  }
  count.acted += 1;
  // Of what acts on one request none comes after another, in whatever order they stand.
  for (const [other, known] of counts) {
    if (known.firstDeed !== change || !other.startsWith(prefix)) continue;
    known.othersThen = { ...known.othersThen, [key]: count.acted };
  }
}

/** When a layer of scenarios was switched on: on the project's clock in milliseconds, and after how many changes. */
export interface Activation {
  readonly atMs: number;
  readonly change: number;
}

/** The counts of one rule, begun where there were none. */
export function countOf(counts: RuleCounts, key: string): RuleCount {
  const known = counts.get(key);
  if (known) return known;
  const fresh = { met: 0, acted: 0 };
  counts.set(key, fresh);
  return fresh;
}

function isInRange(range: RequestRange | undefined, count: number): boolean {
  return range === undefined || (count >= range.from && count <= range.to && count % range.every === 0);
}
