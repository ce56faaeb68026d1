/** Writes what has changed in a project since it was written, as lines of a log. */
import type { Callback } from '../../../callbacks/callback.ts';
import { joinTexts, toChunks } from '../../../lib/chunks.ts';
import {
  type CollectionName,
  collections,
  type StoredRecord,
  type TrailPoint,
  type Write,
} from '../../../records/records.ts';
import type { RuleCount } from '../../../scenarios/counts.ts';
import type { Due } from '../../due-list.ts';
import type { DueWork, ProjectState } from '../../state.ts';
import { seal, startOf } from '../format/checked-lines.ts';
import { copyCallback } from '../format/state-value.ts';
import {
  type CountChange,
  hasSameRareParts,
  type SavedMark,
  takeRuleCountChanges,
  takeTallyChanges,
  toSavedMark,
  toSmallChanges,
} from './saved-mark.ts';

/** Changes of the long lists. A key without a value means that the entry was deleted. */
export interface LoggedChanges
  extends Record<CollectionName, readonly (readonly [id: string, record: StoredRecord])[]> {
  readonly points: readonly (readonly [device: string, point: TrailPoint])[];
  readonly callbacks: readonly (readonly [id: string, callback?: Callback])[];
  readonly gone: readonly number[];
  readonly added: readonly Due<DueWork>[];
  readonly ruleCounts: readonly CountChange<RuleCount>[];
  readonly requestTallies: readonly CountChange<number>[];
}

const changeLists: readonly (keyof LoggedChanges)[] = [
  ...collections,
  'points',
  'callbacks',
  'gone',
  'added',
  'ruleCounts',
  'requestTallies',
];

export interface ChangeLog {
  trackWrites(writes: readonly Write[]): void;
  /** Notes that a callback was created, changed or deleted. */
  trackCallback(callback: string): void;
  /**
   * Returns all changes since the last call of this or `begin`, with their current values, or undefined if they cannot
   * be written as lines. Long changes need several lines, which are valid only with the last one. They follow the file of
   * this project and edition.
   */
  toLines(state: ProjectState, project: string, of: string): Iterable<string> | undefined;
  /** Starts the log: the whole project was written. */
  begin(state: ProjectState): void;
  /** Stops the log: later changes cannot be written as lines. */
  end(): void;
}

/** Creates a change log of one project at a time. It has no content until `begin` is called. */
export function createChangeLog(): ChangeLog {
  let mark: SavedMark | undefined;
  const ids = Object.fromEntries(collections.map((name) => [name, new Set<string>()])) as Record<
    CollectionName,
    Set<string>
  >;
  const callbacks = new Set<string>();
  let points: (readonly [string, TrailPoint])[] = [];
  const gone = new Set<number>();
  const added = new Map<number, Due<DueWork>>();
  let watched: ProjectState['due'] | undefined;

  function begin(next: SavedMark): void {
    mark = next;
    for (const set of [...Object.values(ids), callbacks, gone, added]) set.clear();
    points = [];
    if (watched !== next.due) watch(next.due);
  }

  function watch(due: ProjectState['due']): void {
    watched = due;
    due.watch({
      added: (item) => void (watched === due && added.set(item.order, item)),
      removed: ({ order }) => {
        if (watched === due && !added.delete(order)) gone.add(order);
      },
    });
  }

  function toChanges(state: ProjectState, before: SavedMark): LoggedChanges {
    const recordsOf = (name: CollectionName): LoggedChanges[CollectionName] =>
      Array.from(ids[name], (id) => [id, state.records[name].get(id) as StoredRecord]);
    return {
      jobs: recordsOf('jobs'),
      orders: recordsOf('orders'),
      routes: recordsOf('routes'),
      users: recordsOf('users'),
      devices: recordsOf('devices'),
      points,
      callbacks: Array.from(callbacks, (id) => {
        const callback = state.callbacks.get(id);
        return callback ? ([id, copyCallback(callback)] as const) : ([id] as const);
      }),
      gone: [...gone],
      added: [...added.values()],
      ruleCounts: takeRuleCountChanges(before, state),
      requestTallies: takeTallyChanges(before, state),
    };
  }

  return {
    trackWrites: (writes) => {
      for (const write of writes) {
        if ('point' in write) points.push([write.device, { point: write.point, at: write.at }]);
        else ids[write.into].add(write.id);
      }
    },
    trackCallback: (callback) => void callbacks.add(callback),
    begin: (state) => begin(toSavedMark(state)),
    end: () => {
      mark = undefined;
    },
    toLines: (state, project, of) => {
      const before = mark;
      if (!before) return undefined;
      const after = toSavedMark(state, before);
      if (!hasSameRareParts(before, after)) return undefined;
      const changes = toChanges(state, before);
      const set = toSmallChanges(before, after);
      begin(after);
      return joinTexts(writeLines(state, project, of, set, changes));
    },
  };
}

function* writeLines(
  state: ProjectState,
  project: string,
  of: string,
  set: string,
  changes: LoggedChanges,
): Generator<string> {
  const start = startOf(project);
  const toLine = (members: string): string => {
    const number = state.lineCount;
    state.lineCount += 1;
    return seal(`{"of":"${of}","n":${number},${members}}`, start).line;
  };
  let last: string | undefined;
  for (const chunk of toChunks(listAll(changes))) {
    if (last !== undefined) yield toLine(`"more":true,${last}`);
    last = chunk;
  }
  yield toLine(`"set":{${set}}${last === undefined ? '' : `,${last}`}`);
}

function* listAll(changes: LoggedChanges): Generator<readonly [string, unknown]> {
  for (const list of changeLists) for (const value of changes[list]) yield [list, value];
}
