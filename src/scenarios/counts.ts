/** Counts the matches and firings of rules per project. A turn is claimed before any wait, so counts are exact. */
import { toTimestamp } from '../lib/time.ts';

/** Larger than any count, and still a number that JSON can represent. */
export const forever: number = Number.MAX_SAFE_INTEGER;

/** Selects requests by their number among those that meet the other conditions: every `every`th from `from` to `to`. */
export interface RequestRange {
  readonly from: number;
  readonly to: number;
  readonly every: number;
}

/** `met` counts requests or callbacks that met the other conditions of a rule, `acted` those on which it fired. */
export interface RuleCount {
  met: number;
  acted: number;
  /** Number of the project change at which the rule first fired. */
  firstDeed?: number;
  /** When the time span of `during: { afterRequests }` began, in milliseconds of the project clock. */
  openedAt?: number;
  /** Current window of `limit`: its start in milliseconds of the project clock, and its number of requests. */
  window?: { readonly from: number; used: number };
}

/** The counts of a project, by rule key. */
export type RuleCounts = Map<string, RuleCount>;

/** A time span, in milliseconds. */
export type Span =
  | { readonly afterMs: number; readonly forMs?: number }
  | { readonly afterRequests: number; readonly forMs?: number };

/** The conditions that depend on counts and time. Plain data, because a deferred command can contain it. */
export interface Turn {
  readonly request?: RequestRange;
  readonly during?: Span;
  readonly times?: number;
  /** When the rule was activated, in milliseconds of the project clock. */
  readonly since: number;
}

/** The condition that was not met, and the value that it saw: a count, or a time in milliseconds. */
export interface MissedTurn {
  readonly code: 'during' | 'opening' | 'request' | 'times';
  readonly saw: number;
}

/**
 * Counts this request or callback at `now`, in milliseconds. Returns undefined if the rule may fire, otherwise the
 * condition that was not met. Outside of `during: { after, for }` it counts nothing, because that is one of the other
 * conditions.
 */
function claimTurn({ request, during, times, since }: Turn, count: RuleCount, now: number): MissedTurn | undefined {
  if (during && 'afterMs' in during) {
    const elapsed = now - since;
    if (elapsed < during.afterMs || elapsed >= during.afterMs + (during.forMs ?? Number.POSITIVE_INFINITY)) {
      return { code: 'during', saw: elapsed };
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

/** Returns the time span of a rule, or undefined if it has none, or if its first requests are still to come. */
export function windowOf(
  during: Span | undefined,
  activatedAt: number | undefined,
  count: RuleCount | undefined,
): { readonly from: string; readonly to?: string } | undefined {
  if (during === undefined || activatedAt === undefined) return undefined;
  const from = 'afterMs' in during ? activatedAt + during.afterMs : count?.openedAt;
  if (from === undefined) return undefined;
  return { from: toTimestamp(from), ...(during.forMs !== undefined && { to: toTimestamp(from + during.forMs) }) };
}

/** Whether the time span has begun and not ended. The request that begins it is not part of it. */
function isOpen(
  { afterRequests, forMs }: Extract<Span, { afterRequests: number }>,
  count: RuleCount,
  now: number,
): boolean {
  if (count.met === afterRequests) count.openedAt = now;
  if (count.openedAt === undefined || count.met <= afterRequests) return false;
  return forMs === undefined || now < count.openedAt + forMs;
}

/** When a layer of scenarios was activated: the project clock in milliseconds, and the project change number. */
export interface Activation {
  readonly atMs: number;
  readonly change: number;
}

/** Returns when a layer was activated. Scenarios of a project share one activation, but for those that were added later. */
export function activationOf(activations: ReadonlyMap<string, Activation>, layer: string): Activation | undefined {
  return activations.get(layer) ?? (layer.startsWith('project/') ? activations.get('project') : undefined);
}

/** Returns the counts of one rule; creates them if missing. */
export function countOf(counts: RuleCounts, key: string): RuleCount {
  const existing = counts.get(key);
  if (existing) return existing;
  const created = { met: 0, acted: 0 };
  counts.set(key, created);
  return created;
}

function isInRange(range: RequestRange | undefined, count: number): boolean {
  return range === undefined || (count >= range.from && count <= range.to && count % range.every === 0);
}

/** The counts of rules with `scope: server`, as one project uses them. */
export interface ServerCounts {
  readonly counts: RuleCounts;
  /** The clock of the server, in milliseconds. */
  readonly wallMs: number;
  /** How many times faster than that of the server the clock of the project runs; 0 if it is frozen. */
  readonly clockRate: number;
}

/** What a project counts at one time. */
export interface Counting {
  readonly counts: RuleCounts;
  readonly server: ServerCounts;
  /** The project clock, in milliseconds. */
  readonly now: number;
}

/** A rule to count. `isServerWide` is optional, because a stored deferred command can contain it. */
interface CountedRule {
  readonly key: string;
  readonly isServerWide?: boolean;
}

/** Claims the turn of a rule, in its project or over all projects. */
export function claimRule({ key, isServerWide }: CountedRule, turn: Turn, counting: Counting): MissedTurn | undefined {
  const own = countOf(counting.counts, key);
  return isServerWide ? claimServerTurn(key, turn, own, counting) : claimTurn(turn, own, counting.now);
}

/** Counts of one rule over all projects, as a project sees them before it claims a turn. For recordings. */
export interface RecordedCount {
  readonly met: number;
  readonly acted: number;
  /** When the time span of `afterRequests` began, on the project clock. */
  readonly openedAt?: string;
}

/** Recorded counts by rule key. */
export type RecordedCounts = Readonly<Record<string, RecordedCount>>;

/** Reads the counts of a rule with `scope: server` before it claims a turn. */
export function readServerCount(key: string, counting: Counting): RecordedCount {
  const { met, acted } = countOf(counting.server.counts, key);
  const openedAt = openedAtOf(key, counting);
  return { met, acted, ...(openedAt !== undefined && { openedAt: toTimestamp(openedAt) }) };
}

/** Restores recorded counts, so that a replay without the other projects continues from them. */
export function restoreServerCounts(recorded: RecordedCounts, own: RuleCounts, server: RuleCounts): void {
  for (const [key, { met, acted, openedAt }] of Object.entries(recorded)) {
    // The beginning on the project clock has precedence over the one on the clock of the server.
    const opened = openedAt === undefined ? {} : { openedAt: Date.parse(openedAt) };
    server.set(key, { met, acted, ...opened });
    Object.assign(countOf(own, key), opened);
  }
}

/** Returns when a span over all projects began on the clock of this project, or undefined before it begins. */
function openedAtOf(key: string, { counts, server, now }: Counting): number | undefined {
  const { wallMs, clockRate } = server;
  const openedWallMs = countOf(server.counts, key).openedAt;
  if (openedWallMs === undefined) return undefined;
  return countOf(counts, key).openedAt ?? now - Math.round((wallMs - openedWallMs) * clockRate);
}

/**
 * Counts over all projects, and in the project. A span of `afterRequests` begins in all projects at once, but each has
 * its own clock: on a frozen one, the span begins with the first request after that.
 */
function claimServerTurn(key: string, turn: Turn, own: RuleCount, counting: Counting): MissedTurn | undefined {
  const { server, now } = counting;
  const all = countOf(server.counts, key);
  const { openedAt: _onWall, ...shared } = all;
  const openedAt = openedAtOf(key, counting);
  const inProject: RuleCount = { ...shared, ...(openedAt !== undefined && { openedAt }) };
  const missed = claimTurn(turn, inProject, now);
  own.met += inProject.met - all.met;
  all.met = inProject.met;
  if (inProject.openedAt === undefined) delete own.openedAt;
  else {
    own.openedAt = inProject.openedAt;
    all.openedAt ??= server.wallMs;
  }
  return missed;
}

/** Returns the number of requests or callbacks that a rule has met; its random values derive from it. */
export function metBy({ key, isServerWide }: CountedRule, { counts, server }: Omit<Counting, 'now'>): number {
  return countOf(isServerWide ? server.counts : counts, key).met;
}

/** Counts a firing of a rule at this project change. Call `countFiringsBefore` at the end of the change. */
export function recordRuleFiring(
  { key, isServerWide }: CountedRule,
  { counts, server }: Omit<Counting, 'now'>,
  change: number,
): void {
  const count = countOf(counts, key);
  if (count.acted === 0) count.firstDeed = change;
  count.acted += 1;
  if (isServerWide) countOf(server.counts, key).acted += 1;
}
