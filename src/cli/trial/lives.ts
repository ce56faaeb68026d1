/** Collects what projects stored and sent, over all their lives: a reset or an eviction ends a life. */
import type { Callback } from '../../callbacks/callback.ts';
import type { NewEntry } from '../../journal/entry.ts';
import { rateOf } from '../../lib/clock.ts';
import type { Json } from '../../lib/json.ts';
import type { Project } from '../../project/project.ts';
import { collections, type Write } from '../../records/records.ts';
import type { RunningSandbox } from '../../server.ts';

/** A stored record; or the fields that an update changed; or a location that was added to the trail of a device. */
export interface Item {
  readonly collection: string;
  readonly id: string;
  readonly value: Json;
}

/** A project from its creation to its reset, or to the end. It does not count itself: tests often choose random ids. */
export interface Life {
  readonly project: string;
  readonly records: readonly Item[];
  /** Without repetitions, in order. */
  readonly changes: readonly Item[];
  /** Callbacks that were raised while the command ran. */
  readonly callbacks: readonly RaisedCallback[];
}

/** A callback, and how many times faster than real time the clock ran when it was raised; 0 if it was frozen. */
export interface RaisedCallback extends Callback {
  readonly clockRate: number;
}

/** Fields of the sandbox, which depend on the time. */
const sandboxDates: readonly string[] = ['createdAt', 'updatedAt', 'passwordChangedAt'];

/** Collects from its creation on. The journal keeps all requests of a project until its life ends. */
export class LifeCollector {
  readonly #sandbox: Pick<RunningSandbox, 'projects' | 'journal'>;
  readonly #lives: Life[] = [];
  readonly #clockRates = new WeakMap<Callback, number>();
  readonly #unsubscribe: () => void;
  /** Ignores callbacks that are raised from now on: no receiver is left. */
  readonly commandEnded: () => void;

  constructor(sandbox: Pick<RunningSandbox, 'projects' | 'journal'>) {
    const { projects } = sandbox;
    this.#sandbox = sandbox;
    this.commandEnded = projects.on('callback', (id, callback) => {
      const project = projects.peek(id);
      if (project && !this.#clockRates.has(callback)) this.#clockRates.set(callback, rateOf(project.state.clock));
    });
    this.#unsubscribe = projects.on('discard', (project, { what }) => {
      if (what === 'everything') this.#endLife(project);
    });
  }

  #endLife(project: Project): void {
    const { id, state } = project;
    const callbacks = [...state.callbacks.values()].flatMap((callback) => {
      const clockRate = this.#clockRates.get(callback);
      return clockRate === undefined ? [] : [{ ...callback, clockRate }];
    });
    const requests = [...this.#sandbox.journal.list(id), ...project.delayedRequests];
    this.#lives.push({ project: id, records: listRecords(state.records), changes: findChanges(requests), callbacks });
  }

  /** Returns all lives, ends those of the current projects, and stops collecting. */
  finish(): readonly Life[] {
    this.#unsubscribe();
    for (const project of this.#sandbox.projects.list()) this.#endLife(project);
    return this.#lives;
  }
}

function listRecords(records: Project['state']['records']): readonly Item[] {
  return collections.flatMap((name) =>
    [...records[name]].map(([id, record]) => {
      const fields = Object.entries(record).filter(([field]) => !sandboxDates.includes(field));
      return { collection: name === 'devices' ? 'locations' : name, id, value: Object.fromEntries(fields) };
    }),
  );
}

/** Returns the changes that requests made, in the order of their time, each once. */
function findChanges(requests: readonly NewEntry[]): readonly Item[] {
  const applied = requests.flatMap((request) => request.applied).sort((a, b) => a.atMs - b.atMs);
  const changes = applied.flatMap(({ writes, replaced }) =>
    writes.flatMap((write, index) => toChange(write, replaced[index]) ?? []),
  );
  return [...new Map(changes.map((change) => [JSON.stringify(change), change])).values()];
}

/** `before`: the record that was replaced; undefined for a new one, which itself shows that it was created. */
function toChange(write: Write, before: Json | null | undefined): Item | undefined {
  if ('point' in write) return { collection: 'locations', id: write.device, value: write.point };
  if (!before || write.into === 'devices') return undefined;
  const { put: after, into: collection, id } = write;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter(
    (name) => !sandboxDates.includes(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (changed.length === 0) return undefined;
  return { collection, id, value: Object.fromEntries(changed.map((name) => [name, after[name] ?? null])) };
}
