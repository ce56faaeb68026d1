/** Finds out on which requests and callbacks of a run each rule fired. */
import { createHash, type SeededHash } from '../../../lib/random.ts';
import type { Entry } from '../../../operations/command.ts';
import type { CompiledRule } from '../../../scenarios/compiled.ts';
import { forever } from '../../../scenarios/counts.ts';
import { type Stage, stages } from '../../../scenarios/explain.ts';
import { matchesItem } from '../../../scenarios/item.ts';
import type { TrialResult } from '../../trial/trial.ts';
import type { Visit } from '../attempt.ts';
import { toRuleKey, toVisitedRequests, type VisitedRequest } from './requests.ts';

/** A rule that was active in a run. */
export interface ActiveRule {
  /** Name of the rule among those that are shrunk; in its own scenario it may have another. */
  readonly name: string;
  readonly rule: CompiledRule;
}

/** What the command did, and the seed of the server. */
type Run = Pick<TrialResult, 'requests' | 'lives'> & { readonly seed: string };

/** Returns the visits of each rule, by its name. */
export function readVisits(
  { requests, lives, seed }: Run,
  rules: readonly ActiveRule[],
): ReadonlyMap<string, readonly Visit[]> {
  const inJournal = toVisitedRequests(requests);
  const inProjects = inJournal.toSorted((one, other) =>
    one.life === other.life ? one.change - other.change : one.life < other.life ? -1 : 1,
  );
  return new Map(
    rules.map(({ name, rule }) => {
      const random = createHash(rule.seed ?? seed, rule.id);
      const read = { rule, requests: rule.isServerWide ? inJournal : inProjects, random };
      return [name, rule.countsCallbacks ? visitCallbacks(read, lives) : visitRequests(read)];
    }),
  );
}

interface Reading {
  readonly rule: CompiledRule;
  /** In the order in which the rule counts them. */
  readonly requests: readonly VisitedRequest[];
  readonly random: SeededHash;
}

function visitRequests({ rule, requests, random }: Reading): readonly Visit[] {
  const met = createCounter();
  return requests.flatMap(({ operation, life, entries, cameByRule }) => {
    const came = cameByRule.get(toRuleKey(rule.scenario, rule.name)) ?? 'operation';
    if (isBefore(came, 'item')) return [];
    const scope = toScope(rule, life);
    const matches = !isBefore(came, 'during');
    const isCounted = matches && (came !== 'during' || (rule.during !== undefined && 'afterRequests' in rule.during));
    const number = isCounted ? met.next(scope) : 0;
    const fired = came === 'fired';
    const drawn = fired ? drawEntries(rule, entries, (item) => random.fraction(`chance:${number}:${item}`)) : undefined;
    return [{ operation, scope, matches, fired, entryCount: entries.at(-1)?.item ?? 0, ...(drawn && { drawn }) }];
  });
}

function toScope({ isServerWide }: CompiledRule, life: string): string {
  return isServerWide ? 'server' : life;
}

function isBefore(came: Stage, other: Stage): boolean {
  return stages.indexOf(came) < stages.indexOf(other);
}

/** Repeats the draws of a rule with a chance for each entry. */
function drawEntries(
  { item, chance }: CompiledRule,
  entries: readonly Entry[],
  draw: (item: number) => number,
): readonly number[] | undefined {
  if (chance === undefined || !item) return undefined;
  const drawn = entries.filter((entry) => matchesItem(item, entry) && draw(entry.item) < chance);
  return drawn.length === 0 ? undefined : drawn.map((entry) => entry.item);
}

/** A rule that only disturbs callbacks counts those of the requests that it matched. */
function visitCallbacks({ rule, requests, random }: Reading, lives: TrialResult['lives']): readonly Visit[] {
  const { chance, request: range, times = forever } = rule;
  const key = toRuleKey(rule.scenario, rule.name);
  const planned = new Map(
    requests.filter(({ cameByRule }) => cameByRule.get(key) === 'planned').map((request) => [request.id, request]),
  );
  const met = createCounter();
  const acted = createCounter();
  const callbacks = lives.flatMap((life) => life.callbacks.toSorted((one, other) => one.change - other.change));
  return callbacks.flatMap(({ requestId }) => {
    const request = planned.get(requestId);
    if (!request) return [];
    const { operation, entries } = request;
    const scope = toScope(rule, request.life);
    const number = met.next(scope);
    const isInRange = !range || (number >= range.from && number <= range.to && number % range.every === 0);
    const isDrawn = chance === undefined || random.fraction(`chance:${number}`) < chance;
    const fired = isInRange && isDrawn && acted.count(scope) < times;
    if (fired) acted.next(scope);
    return [{ operation, scope, matches: true, fired, entryCount: entries.length }];
  });
}

function createCounter(): { next(scope: string): number; count(scope: string): number } {
  const counts = new Map<string, number>();
  const count = (scope: string): number => counts.get(scope) ?? 0;
  return {
    count,
    next: (scope) => {
      counts.set(scope, count(scope) + 1);
      return count(scope);
    },
  };
}
