/** Notes what has changed in a project since it was written, and writes it as lines of a log. */
import { type Callback, isSameEndpoint } from '../../../callbacks/callback.ts';
import { joinTexts, toChunks } from '../../../lib/chunks.ts';
import {
  type CollectionName,
  collections,
  type StoredRecord,
  type TrailPoint,
  type Write,
} from '../../../records/records.ts';
import type { RuleCount } from '../../../scenarios/counts.ts';
import type { Due } from '../../schedule.ts';
import type { DueWork, ProjectState } from '../../state.ts';
import { seal, startOf } from '../format/checked-lines.ts';
import { copyCallback, type StateValue } from '../format/state-value.ts';

/** A change of a count. A key without a count means that the count was deleted. */
type CountChange<Count> = readonly [key: string, count?: Count];

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

/** Small parts of the project state. A changed part is written to a log line as a whole. */
const smallParts = [
  'clock',
  'dueCount',
  'requestCount',
  'groups',
  'activations',
  'changeCount',
  'serverScenarios',
  'rateWindow',
  'shownMs',
] as const;

export type SmallParts = Pick<StateValue, (typeof smallParts)[number]>;

/** The state when it was written last, as far as needed to find what has changed since. */
interface Mark extends Pick<ProjectState, 'records' | 'scenarios' | 'endpoint' | 'due'> {
  /** The small parts as JSON. */
  readonly small: Readonly<Record<(typeof smallParts)[number], string>>;
}

/** The changes of one project at a time. They cannot be written as lines until `begin` is called. */
export class UnwrittenChanges {
  #mark: Mark | undefined;
  /** There may be many counts, so they are copied once, and compared entry by entry. */
  #ruleCounts = new Map<string, RuleCount>();
  #requestTallies = new Map<string, number>();
  readonly #ids = new Map(collections.map((name) => [name, new Set<string>()]));
  readonly #callbacks = new Set<string>();
  #points: (readonly [string, TrailPoint])[] = [];
  readonly #gone = new Set<number>();
  readonly #added = new Map<number, Due<DueWork>>();
  #watched: ProjectState['due'] | undefined;

  trackWrites(writes: readonly Write[]): void {
    for (const write of writes) {
      if ('point' in write) this.#points.push([write.device, { point: write.point, at: write.at }]);
      else this.#ids.get(write.into)?.add(write.id);
    }
  }

  /** Notes that a callback was created, changed or deleted. */
  trackCallback(callback: string): void {
    this.#callbacks.add(callback);
  }

  /** Starts the log: the whole project was written. */
  begin(state: ProjectState): void {
    this.#ruleCounts = new Map(Array.from(state.ruleCounts, ([key, count]) => [key, copyCount(count)]));
    this.#requestTallies = new Map(state.requestTallies);
    this.#start(toMark(state));
  }

  /** Stops the log: later changes cannot be written as lines. */
  end(): void {
    this.#mark = undefined;
  }

  /**
   * Returns all changes since the last call of this or `begin`, with their current values, or undefined if they cannot
   * be written as lines. Long changes need several lines, which are valid only with the last one. They follow the file of
   * this project and edition.
   */
  toLines(state: ProjectState, project: string, of: string): Iterable<string> | undefined {
    const before = this.#mark;
    const after = toMark(state);
    if (!before || !hasSameRareParts(before, after)) return undefined;
    const changes = this.#toChanges(state);
    const set = smallParts
      .filter((name) => after.small[name] !== before.small[name])
      .map((name) => `${JSON.stringify(name)}:${after.small[name]}`)
      .join();
    this.#start(after);
    return joinTexts(writeLines(state, project, of, set, changes));
  }

  #start(mark: Mark): void {
    this.#mark = mark;
    for (const set of [...this.#ids.values(), this.#callbacks, this.#gone, this.#added]) set.clear();
    this.#points = [];
    if (this.#watched !== mark.due) this.#watch(mark.due);
  }

  #watch(due: ProjectState['due']): void {
    this.#watched = due;
    due.watch({
      added: (item) => void (this.#watched === due && this.#added.set(item.order, item)),
      removed: ({ order }) => {
        if (this.#watched === due && !this.#added.delete(order)) this.#gone.add(order);
      },
    });
  }

  /** Returns the changes, in the order in which a line has their lists. */
  #toChanges(state: ProjectState): LoggedChanges {
    const records = Array.from(this.#ids, ([name, ids]) => [
      name,
      Array.from(ids, (id) => [id, state.records[name].get(id)]),
    ]);
    return {
      ...(Object.fromEntries(records) as Pick<LoggedChanges, CollectionName>),
      points: this.#points,
      callbacks: Array.from(this.#callbacks, (id) => {
        const callback = state.callbacks.get(id);
        return callback ? ([id, copyCallback(callback)] as const) : ([id] as const);
      }),
      gone: [...this.#gone],
      added: [...this.#added.values()],
      ruleCounts: takeCountChanges(this.#ruleCounts, state.ruleCounts, isSameCount, copyCount),
      requestTallies: takeCountChanges(this.#requestTallies, state.requestTallies, Object.is, (count) => count),
    };
  }
}

function toMark(state: ProjectState): Mark {
  const { records, scenarios, endpoint, due } = state;
  const parts = { ...state, groups: [...state.groups], activations: [...state.activations] };
  const small = Object.fromEntries(smallParts.map((name) => [name, JSON.stringify(parts[name])])) as Mark['small'];
  return { records, scenarios, endpoint: endpoint && { ...endpoint }, due, small };
}

/** New objects for records, due work, scenarios or endpoint are rare, so then the whole project is written. */
function hasSameRareParts({ records, scenarios, due, endpoint }: Mark, after: Mark): boolean {
  const isSame = records === after.records && scenarios === after.scenarios && due === after.due;
  return isSame && isSameEndpoint(endpoint, after.endpoint);
}

/** Returns the changes of counts since they were copied, and updates the copies. */
function takeCountChanges<Count>(
  marked: Map<string, Count>,
  counts: ReadonlyMap<string, Count>,
  isSame: (one: Count, other: Count) => boolean,
  copy: (count: Count) => Count,
): readonly CountChange<Count>[] {
  const changes: CountChange<Count>[] = [];
  for (const [key, count] of counts) {
    const before = marked.get(key);
    if (before !== undefined && isSame(before, count)) continue;
    const copied = copy(count);
    marked.set(key, copied);
    changes.push([key, copied]);
  }
  if (marked.size === counts.size) return changes;
  for (const key of marked.keys()) {
    if (counts.has(key)) continue;
    marked.delete(key);
    changes.push([key]);
  }
  return changes;
}

function copyCount(count: RuleCount): RuleCount {
  return count.window ? { ...count, window: { ...count.window } } : { ...count };
}

function isSameCount(one: RuleCount, other: RuleCount): boolean {
  return (
    one.met === other.met &&
    one.acted === other.acted &&
    one.firstDeed === other.firstDeed &&
    one.openedAt === other.openedAt &&
    one.window?.from === other.window?.from &&
    one.window?.used === other.window?.used
  );
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
  for (const [list, values] of Object.entries(changes)) for (const value of values) yield [list, value];
}
