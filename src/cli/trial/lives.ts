/** Collects what projects stored and sent, over all their lives: a reset or an eviction ends a life. */
import type { Callback } from '../../callbacks/callback.ts';
import type { NewEntry } from '../../journal/entry.ts';
import { rateOf } from '../../lib/clock.ts';
import type { Json } from '../../lib/json.ts';
import type { Project } from '../../project/project.ts';
import type { Applied } from '../../records/applied.ts';
import { type Snapshot, toSnapshot } from '../../records/snapshot.ts';
import type { RunningSandbox } from '../../server.ts';

/** An update of a stored record: the fields that changed; or a location that was added to the trail of a device. */
export interface Change {
  readonly collection: string;
  readonly id: string;
  readonly fields: Json;
}

/** A project from its creation to its reset, or to the end. */
export interface Life {
  readonly project: string;
  readonly records: Snapshot;
  /** Without repetitions, in order. */
  readonly changes: readonly Change[];
  /** Callbacks that were raised while the command ran. */
  readonly callbacks: readonly RaisedCallback[];
}

/** A callback, and how many times faster than real time the clock ran when it was raised; 0 if it was frozen. */
export interface RaisedCallback extends Callback {
  readonly clockRate: number;
}

export interface LifeCollector {
  /** Ignores callbacks that are raised from now on: no receiver is left. */
  commandEnded(): void;
  /** Returns all lives, ends those of the current projects, and stops collecting. */
  finish(): readonly Life[];
}

/** Fields of the sandbox, which depend on the time. */
export const sandboxDates: readonly string[] = ['createdAt', 'updatedAt', 'passwordChangedAt'];

/** Starts to collect. The journal keeps all requests of a project until its life ends. */
export function collectLives({ projects, journal }: Pick<RunningSandbox, 'projects' | 'journal'>): LifeCollector {
  const lives: Life[] = [];
  const callbackRates = new WeakMap<Callback, number>();

  function addCallback(id: string, callback: Callback): void {
    const project = projects.peek(id);
    if (project && !callbackRates.has(callback)) callbackRates.set(callback, rateOf(project.state.clock));
  }

  function endLife(project: Project): void {
    const { id, state } = project;
    const callbacks = [...state.callbacks.values()].flatMap((callback) => {
      const clockRate = callbackRates.get(callback);
      return clockRate === undefined ? [] : [{ ...callback, clockRate }];
    });
    const requests = [...journal.list(id), ...project.delayedRequests];
    lives.push({ project: id, records: toPlain(state.records), changes: findChanges(requests), callbacks });
  }

  const unsubscribeCallbacks = projects.onCallback(addCallback);
  const subscriptions = [
    unsubscribeCallbacks,
    projects.onDiscard((project, { what }) => {
      if (what === 'everything') endLife(project);
    }),
  ];
  return {
    commandEnded: unsubscribeCallbacks,
    finish: () => {
      for (const unsubscribe of subscriptions) unsubscribe();
      for (const project of projects.list()) endLife(project);
      return lives;
    },
  };
}

function toPlain(records: Project['state']['records']): Snapshot {
  const captured = toSnapshot(records);
  const lists = Object.entries(captured).map(([name, value]) => [
    name,
    name === 'version' ? 1 : [...(value as Iterable<Json>)],
  ]);
  return Object.fromEntries(lists) as Snapshot;
}

/** Returns the changes that requests made, in the order of their time, each once. */
function findChanges(requests: readonly NewEntry[]): readonly Change[] {
  const changes = new Map<string, Change>();
  const applied = requests.flatMap((request) => request.applied).sort((a, b) => a.atMs - b.atMs);
  for (const one of applied) {
    for (const index of one.writes.keys()) {
      const change = toChange(one, index);
      if (change) changes.set(JSON.stringify(change), change);
    }
  }
  return [...changes.values()];
}

function toChange({ writes, replaced }: Applied, index: number): Change | undefined {
  const write = writes[index] as Applied['writes'][number];
  if ('point' in write) {
    return { collection: 'locations', id: write.device, fields: write.point };
  }
  const before = replaced[index];
  // The record itself shows that it was created.
  if (!before || write.into === 'devices') return undefined;
  const after = write.put;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const fields: Json = {};
  for (const name of names) {
    if (sandboxDates.includes(name) || JSON.stringify(before[name]) === JSON.stringify(after[name])) continue;
    fields[name] = after[name] ?? null;
  }
  return Object.keys(fields).length === 0 ? undefined : { collection: write.into, id: write.id, fields };
}
