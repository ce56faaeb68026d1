/** Collects what projects stored and sent, over all their lives: a reset or an eviction ends a life. */
import type { Callback } from '../../callbacks/callback.ts';
import { rateOf } from '../../lib/clock.ts';
import type { Json } from '../../lib/json.ts';
import type { Project } from '../../project/project.ts';
import type { ProjectRegistry } from '../../project/registry.ts';
import type { Write } from '../../records/records.ts';
import { type Snapshot, toSnapshot } from '../../records/snapshot.ts';

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

/** Starts to collect. */
export function collectLives(projects: ProjectRegistry): LifeCollector {
  const lives: Life[] = [];
  const changesByProject = new Map<string, Map<string, Change>>();
  const callbackRates = new WeakMap<Callback, number>();

  function addChanges(id: string, writes: readonly Write[]): void {
    const project = projects.peek(id);
    if (!project) return;
    const changes = changesByProject.get(id) ?? new Map<string, Change>();
    changesByProject.set(id, changes);
    for (const write of writes) {
      const change = toChange(project, write);
      if (change) changes.set(JSON.stringify(change), change);
    }
  }

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
    lives.push({
      project: id,
      records: toPlain(state.records),
      changes: [...(changesByProject.get(id)?.values() ?? [])],
      callbacks,
    });
    changesByProject.delete(id);
  }

  const unsubscribeCallbacks = projects.onCallback(addCallback);
  const subscriptions = [
    unsubscribeCallbacks,
    projects.onCommit(addChanges),
    projects.onDiscard((project, what) => {
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

function toChange({ state }: Project, write: Write): Change | undefined {
  if ('point' in write) {
    return { collection: 'locations', id: write.device, fields: write.point };
  }
  const before = state.records[write.into].get(write.id);
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
