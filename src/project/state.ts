/**
 * Defines the state of a project as one value: its fields, its initial value, and questions that need no running
 * project.
 */
import type { Callback, Endpoint } from '../callbacks/callback.ts';
import type { CallbackDue, CallbackGroup } from '../callbacks/groups.ts';
import { type ClockState, type InitialClock, setClock } from '../lib/clock.ts';
import type { WallClock } from '../lib/time.ts';
import type { PendingImport } from '../operations/command.ts';
import { creates, operations } from '../operations/index.ts';
import { type CollectionName, createRecords, type Records } from '../records/records.ts';
import type { Activation, RuleCounts } from '../scenarios/counts.ts';
import type { Scenario } from '../scenarios/types.ts';
import type { RateWindow } from '../usage/limits.ts';
import type { DeferredCommand } from './commands/deferred-command.ts';
import { type Due, DueList } from './schedule.ts';

export type DueWork = { readonly kind: 'deferredCommand'; readonly deferredCommand: DeferredCommand } | CallbackDue;

/** The state of a project. `persistence/log` converts it to and from JSON. */
export interface ProjectState {
  records: Records;
  clock: ClockState;
  due: DueList<DueWork>;
  dueCount: number;
  requestCount: number;
  callbacks: Map<string, Callback>;
  /** Callbacks that wait to be sent in a different order, by the key of the rule that reorders them. */
  groups: Map<string, CallbackGroup>;
  endpoint: Endpoint | undefined;
  ruleCounts: RuleCounts;
  /** Counts for expectations, by their keys, and of requests, by operation. */
  requestTallies: Map<string, number>;
  /** When each layer of scenarios was activated. */
  activations: Map<string, Activation>;
  /** When the project was created, in milliseconds of its clock. */
  readonly begunAt: number;
  /** Number of changes since then: requests, callbacks and changes through the control API. */
  changeCount: number;
  /** Scenarios activated for this project, highest precedence first, as they were at activation. */
  scenarios: readonly Scenario[];
  /** Key of the server scenarios that were active when the counts of the layer `server` started. */
  serverScenarios: string;
  /** The region through which the project was used first. */
  firstRegion?: string;
  /** The current window of the profile's rate. */
  rateWindow?: RateWindow;
  /** Latest time that the clock has shown, in milliseconds. */
  shownMs: number;
  /** Set if the project is a fork: the project that it copies, as it was after this change. */
  readonly forkedFrom?: ForkOrigin;
}

/** The project that a fork copies, and the number of the last change that is part of the fork. */
export interface ForkOrigin {
  readonly project: string;
  readonly change: number;
}

/** Number of deferred commands to be applied and of callbacks to be sent. Each copy of a callback counts. */
export interface PendingCounts {
  readonly instructions: number;
  readonly callbacks: number;
}

export interface InitialSettings {
  readonly wall: WallClock;
  readonly clock: InitialClock;
  readonly endpoint: Endpoint | undefined;
}

/** Creates the list of due work from sorted items. */
export function createDueWork(items?: Iterable<Due<DueWork>>): DueList<DueWork> {
  return new DueList(({ kind }) => kind, items);
}

export function createProjectState({
  clock,
  endpoint,
  wall,
}: Omit<InitialSettings, 'wall'> & { readonly wall: Pick<WallClock, 'now'> }): ProjectState {
  const wallMs = wall.now();
  const nowMs = clock.nowMs ?? wallMs;
  return {
    records: createRecords(),
    clock: setClock(clock.mode, nowMs, { now: () => wallMs }, clock.rate),
    due: createDueWork(),
    dueCount: 0,
    requestCount: 0,
    callbacks: new Map(),
    groups: new Map(),
    endpoint: endpoint && { ...endpoint },
    ruleCounts: new Map(),
    requestTallies: new Map(),
    activations: new Map([
      ['first', { atMs: nowMs, change: 0 }],
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

/** Activates the server scenarios at a time in milliseconds, and discards their counts. */
export function activateServer(state: ProjectState, atMs: number): void {
  dropCounts(state, (key) => key.startsWith('server/'));
  state.activations.set('server', { atMs, change: state.changeCount });
}

/** Activates scenarios of the project at a time in milliseconds. Those that are kept continue with their counts. */
export function activateOwn(
  state: ProjectState,
  scenarios: readonly Scenario[],
  kept: ReadonlySet<string>,
  atMs: number,
): void {
  const isDropped = (key: string): boolean => {
    const name = ownName.exec(key)?.[1];
    return name !== undefined && !kept.has(name);
  };
  dropCounts(state, isDropped);
  for (const layer of state.activations.keys()) if (isDropped(layer)) state.activations.delete(layer);
  const activation = { atMs, change: state.changeCount };
  if (kept.size === 0) state.activations.set('project', activation);
  else for (const { name } of scenarios) if (!kept.has(name)) state.activations.set(`project/${name}`, activation);
}

/** The name of the project's scenario in the key of a count. */
const ownName = /^project\/([a-z0-9-]+)/;

function dropCounts({ ruleCounts, requestTallies }: ProjectState, isDropped: (key: string) => boolean): void {
  for (const counts of [ruleCounts, requestTallies])
    for (const key of counts.keys()) if (isDropped(key)) counts.delete(key);
}

/** Counts pending work. A callback with an attempt in progress or queued is not due, but is still scheduled. */
export function countPending({ due, callbacks }: ProjectState): PendingCounts {
  let scheduled = 0;
  for (const { state, copiesLeft } of callbacks.values()) scheduled += (state === 'scheduled' ? 1 : 0) + copiesLeft;
  return { instructions: due.count('deferredCommand'), callbacks: scheduled };
}

export function isCommandDue(due: DueList<DueWork>, now: number): boolean {
  return due.hasMoreThan(0, now, ({ kind }) => kind === 'deferredCommand');
}

/** Accepted imports that were not applied yet, or will fail, by id. The jobs of a route count as jobs. */
export interface PendingImports {
  readonly due: DueList<DueWork>;
  /** The imports of an id, in the order in which they were accepted. */
  of(collection: CollectionName, id: string): readonly PendingImport[];
}

/** Collects the imports from all due work once, then follows the changes of the list. */
export function createPendingImports(due: DueList<DueWork>): PendingImports {
  const imports: Record<CollectionName, Map<string, PendingImport[]>> = {
    jobs: new Map(),
    orders: new Map(),
    routes: new Map(),
    users: new Map(),
    devices: new Map(),
  };
  const change = (what: DueWork, changeOne: (of: Map<string, PendingImport[]>, one: PendingImport) => void) => {
    if (what.kind !== 'deferredCommand') return;
    const { command, failures, operation } = what.deferredCommand;
    const { collection } = operations[operation];
    if (!creates(operations[operation])) return;
    const { subProjectId } = command;
    for (const entry of command.routes ?? []) changeOne(imports.routes, { entry });
    const records = imports[collection === 'routes' ? 'jobs' : collection];
    for (const entry of command.entries) changeOne(records, { entry, subProjectId });
    for (const { id } of failures) changeOne(records, { entry: { id } });
  };
  const add = (what: DueWork): void =>
    change(what, (of, one) => {
      const others = of.get(one.entry.id);
      if (others) others.push(one);
      else of.set(one.entry.id, [one]);
    });
  const remove = (what: DueWork): void =>
    change(what, (of, { entry: { id, value } }) => {
      const left = of.get(id) ?? [];
      left.splice(
        left.findIndex((one) => one.entry.value === value),
        1,
      );
      if (left.length === 0) of.delete(id);
    });
  for (const { what } of due) add(what);
  due.watch({ added: ({ what }) => add(what), removed: ({ what }) => remove(what) });
  return { due, of: (collection, id) => imports[collection].get(id) ?? [] };
}
