/** Finds where each rule fired, so that a rule that depends on chance or counts can be pinned to these requests. */
import type { JournalEntry } from '../../journal/entry.ts';
import { toEntryIds } from '../../records/records.ts';
import type { CompiledScenario } from '../../scenarios/compiled.ts';
import type { Firing } from '../../scenarios/explain.ts';
import type { TrialResult } from '../trial/trial.ts';
import type { NamedRule } from './scenario.ts';

/** A request, or callback, on which a rule fired: the nth of its operation, with the entries that were selected. */
export interface Pin {
  readonly operation: string;
  readonly nth: number;
  readonly items?: readonly number[];
}

type Run = Pick<TrialResult, 'requests' | 'lives'>;

interface Fired {
  /** Place of the request among all requests. */
  readonly index: number;
  readonly entry: JournalEntry;
  readonly firing: Firing;
}

/** Returns where each rule fired, by its name: at each number once, over all projects and their lives. */
export function findPins(run: Run, { rules }: CompiledScenario): ReadonlyMap<string, readonly Pin[]> {
  const found = rules.map((rule) => {
    const fired = run.requests.flatMap((entry, index) =>
      entry.fired
        .filter((firing) => firing.scenario === rule.scenario && firing.rule === rule.name)
        .map((firing): Fired => ({ index, entry, firing })),
    );
    const pins = rule.countsCallbacks
      ? pinCallbacks(fired, rule.isServerWide, run.lives)
      : fired.map((one) => pinRequest(one, rule.isServerWide, run.requests));
    const different = new Map(pins.map((pin) => [JSON.stringify(pin), pin]));
    return [rule.name, [...different.values()].toSorted((one, other) => one.nth - other.nth)] as const;
  });
  return new Map(found.filter(([, pins]) => pins.length > 0));
}

/** A pinned rule counts the requests that have one of its entries, of its project's life or of all projects. */
function pinRequest({ index, entry, firing }: Fired, isServerWide: boolean, requests: Run['requests']): Pin {
  const { operation, nth, items } = firing;
  const before = requests
    .slice(0, index + 1)
    .filter((one) => one.operation === operation && one.ruleCount > 0)
    .filter(({ project }) => isServerWide || project === entry.project);
  const own = isServerWide ? before : before.slice(-nth);
  const first = Math.min(...(items ?? [0]));
  const counted = own.filter(({ named = { ids: [] } }) => toEntryIds(named).length >= first);
  return { operation, nth: counted.length, ...(items && { items }) };
}

/** Such a rule counts the callbacks of its requests. Another rule may have disturbed some; the search finds that out. */
function pinCallbacks(fired: readonly Fired[], isServerWide: boolean, lives: Run['lives']): readonly Pin[] {
  const requestIds = new Set(fired.map(({ entry }) => entry.id));
  const ordered = lives.map(({ callbacks }) => callbacks.toSorted((one, other) => one.change - other.change));
  const scopes = isServerWide ? [ordered.flat()] : ordered;
  return scopes.flatMap((callbacks) => {
    const counts = new Map<string, number>();
    return callbacks.flatMap(({ requestId, operation, fault }) => {
      if (!requestIds.has(requestId)) return [];
      const nth = (counts.get(operation) ?? 0) + 1;
      counts.set(operation, nth);
      return fault ? [{ operation, nth }] : [];
    });
  });
}

/** Returns rules that fire exactly at these pins: one for each operation and each range of requests. */
export function pinRule(rule: NamedRule, pins: readonly Pin[]): readonly NamedRule[] {
  const ranges: { operation: string; from: number; to: number; readonly items: readonly number[] | undefined }[] = [];
  for (const { operation, nth, items } of pins) {
    const last = ranges.find((one) => one.operation === operation && one.to === nth - 1 && isSame(one.items, items));
    if (last) last.to = nth;
    else ranges.push({ operation, from: nth, to: nth, items });
  }
  const { name, scope, when, then } = rule;
  const { request: _request, during: _during, operation: _operation, ...others } = when ?? {};
  return ranges.map(({ operation, from, to, items }, index) => ({
    name: ranges.length === 1 ? name : `${name}, part ${index + 1}`,
    ...(scope && { scope }),
    when: {
      ...{ operation, ...others },
      ...(items && { item: items.length === 1 ? (items[0] as number) : items }),
      request: from === to ? { nth: from } : { from, to },
    },
    then,
  }));
}

function isSame(one: readonly number[] | undefined, other: readonly number[] | undefined): boolean {
  return String(one) === String(other);
}
