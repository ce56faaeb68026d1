/** A world as one value: what is in it, how it begins, and what can be said of it without running it. */
import { type ClockState, readClock } from './base/clock.ts';
import type { WallClock } from './base/time.ts';
import type { Callback, Endpoint } from './callbacks/callback.ts';
import type { CallbackDue, Group } from './callbacks/dispatch.ts';
import type { Instruction } from './downstream/instruction.ts';
import type { Due } from './downstream/schedule.ts';
import { creates, operations } from './operations/index.ts';
import type { Activation, RuleCounts } from './scenarios/counts.ts';
import type { Scenario } from './scenarios/types.ts';
import { type CollectionName, createRecords, type Records } from './store/records.ts';

/** Something due in a world. */
export type WorldDue = { readonly kind: 'instruction'; readonly instruction: Instruction } | CallbackDue;

/** A world as one value; `toValue` and `fromValue` make it JSON and back. */
export interface WorldData {
  records: Records;
  clock: ClockState;
  due: Due<WorldDue>[];
  dueCount: number;
  requestCount: number;
  callbacks: Map<string, Callback>;
  /** Callbacks that are gathered to be sent in another order, by the key of the rule that does so. */
  groups: Map<string, Group>;
  endpoint: Endpoint | undefined;
  ruleCounts: RuleCounts;
  /** How many requests were as a scenario expects, by the expectation's key. */
  requestTallies: Map<string, number>;
  /** When each layer of scenarios was switched on. */
  activations: Map<string, Activation>;
  /** When it began, in milliseconds of this clock. */
  readonly begunAt: number;
  /** How many things have changed it since: requests, callbacks, what was set from outside. */
  changeCount: number;
  /** What is switched on for this project, nearest first, as it was then. */
  scenarios: readonly Scenario[];
  /** Names what was switched on for all projects when the counts of the layer `server` began. */
  serverScenarios: string;
  /** The latest that the clock has shown, in milliseconds. */
  shownMs: number;
}

/** How many instructions are to be carried out, and how many callbacks to be sent; each copy of one counts. */
export interface Pending {
  readonly instructions: number;
  readonly callbacks: number;
}

/** How a world begins. */
export interface Beginning {
  readonly wall: WallClock;
  readonly clock: { readonly mode: ClockState['mode']; readonly nowMs?: number };
  readonly endpoint: Endpoint | undefined;
}

/** A world with nothing in it. */
export function createData({ clock, endpoint, wall }: Beginning): WorldData {
  const nowMs = clock.nowMs ?? readClock({ mode: 'real', aheadMs: 0 }, wall);
  return {
    records: createRecords(),
    clock: clock.mode === 'frozen' ? { mode: 'frozen', nowMs } : { mode: 'real', aheadMs: 0 },
    due: [],
    dueCount: 0,
    requestCount: 0,
    callbacks: new Map(),
    groups: new Map(),
    endpoint: endpoint && { ...endpoint },
    ruleCounts: new Map(),
    requestTallies: new Map(),
    activations: new Map([
      ['server', { atMs: nowMs, change: 0 }],
      ['magic-ids', { atMs: nowMs, change: 0 }],
    ]),
    begunAt: nowMs,
    changeCount: 0,
    scenarios: [],
    serverScenarios: '',
    shownMs: nowMs,
  };
}

/** What a layer of scenarios has counted is forgotten; it is in force from now on. */
export function beginLayer(data: WorldData, layer: 'project' | 'server', atMs: number): void {
  for (const counted of [data.ruleCounts, data.requestTallies]) {
    for (const key of counted.keys()) if (key.startsWith(`${layer}/`)) counted.delete(key);
  }
  data.activations.set(layer, { atMs, change: data.changeCount });
}

/** A callback whose attempt is under way, or waits behind another's, is no longer due and still scheduled. */
export function countPending({ due, callbacks }: WorldData): Pending {
  let scheduled = 0;
  for (const { state, copiesLeft } of callbacks.values()) scheduled += (state === 'scheduled' ? 1 : 0) + copiesLeft;
  return { instructions: due.filter(({ what }) => what.kind === 'instruction').length, callbacks: scheduled };
}

/** Whether an instruction is due by then. */
export function isInstructionDue(due: readonly Due<WorldDue>[], now: number): boolean {
  return due.some(({ dueAt, what }) => dueAt <= now && what.kind === 'instruction');
}

/** The ids that imports which are still to be carried out, or to fail, name; a route's jobs are records too. */
export function pendingIds(due: readonly Due<WorldDue>[]): Readonly<Record<CollectionName, ReadonlySet<string>>> {
  const ids: Record<CollectionName, Set<string>> = {
    jobs: new Set(),
    orders: new Set(),
    routes: new Set(),
    users: new Set(),
    devices: new Set(),
  };
  for (const { what } of due) {
    if (what.kind !== 'instruction') continue;
    const { task, failures, operation } = what.instruction;
    const { collection } = operations[operation];
    if (!creates(operations[operation])) continue;
    for (const { id } of task.routes ?? []) ids.routes.add(id);
    const own = ids[collection === 'routes' ? 'jobs' : collection];
    for (const { id } of task.entries) own.add(id);
    for (const { id } of failures) own.add(id);
  }
  return ids;
}
