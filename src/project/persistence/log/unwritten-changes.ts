/** Writes a project as lines of a log: first the whole project, then what has changed since. */
import { type Callback, type Endpoint, isSameEndpoint } from '../../../callbacks/callback.ts';
import type { CallbackGroup } from '../../../callbacks/groups.ts';
import { toChunks } from '../../../lib/chunks.ts';
import {
  type CollectionName,
  collections,
  type StoredRecord,
  type TrailPoint,
  type Write,
} from '../../../records/records.ts';
import type { Activation, RuleCount } from '../../../scenarios/counts.ts';
import type { Due } from '../../schedule.ts';
import type { DueWork, ProjectState } from '../../state.ts';
import { seal, startOf } from '../format/checked-lines.ts';

/** A change of a map. A key without a value means that the entry was deleted. */
type MapChange<Value> = readonly [key: string, value?: Value];

/** Changes of the long lists. */
interface LoggedChanges extends Record<CollectionName, readonly (readonly [id: string, record: StoredRecord])[]> {
  /** Whole trails: only where the whole project is written. */
  readonly trails: readonly (readonly [device: string, points: TrailPoint[]])[];
  readonly points: readonly (readonly [device: string, point: TrailPoint])[];
  readonly callbacks: readonly MapChange<Callback>[];
  readonly gone: readonly number[];
  readonly added: readonly Due<DueWork>[];
  readonly ruleCounts: readonly MapChange<RuleCount>[];
  readonly requestTallies: readonly MapChange<number>[];
}

type LongPart = 'records' | 'due' | 'callbacks' | 'ruleCounts' | 'requestTallies' | 'scenarios' | 'endpoint';

/** The small parts of the project state as JSON values. A changed part is written as a whole. */
type SmallParts = Omit<ProjectState, LongPart | 'groups' | 'activations'> & {
  readonly groups: readonly (readonly [string, CallbackGroup])[];
  readonly activations: readonly (readonly [string, Activation])[];
};

/** Parts that are written only with the whole project. Without an endpoint, it has the default one. */
interface RareParts extends Pick<ProjectState, 'scenarios'> {
  readonly endpoint?: Endpoint | null;
}

/** Members of the first line. */
export interface LogHead {
  readonly format: string;
  readonly version: number;
  readonly project: string;
}

export interface LogLine extends Partial<LoggedChanges> {
  /** The line is valid only with the next line, which was written together with it. */
  readonly more?: true;
  readonly set?: Partial<SmallParts & RareParts>;
}

export const logFormat = 'field-sandbox project';

/** Version of the format. Other versions are not read, because their meaning may differ. */
export const logVersion = 5;

/** Parts of the state when it was written last. If one is another object, the whole project is written. */
type Mark = Pick<ProjectState, 'records' | 'scenarios' | 'endpoint' | 'due'>;

/**
 * The changes of one project since it was written. They cannot be written as lines until the whole project was. The
 * checksum of each line continues that of the line before.
 */
export class UnwrittenChanges {
  readonly #project: string;
  readonly #defaultEndpoint: Endpoint | undefined;
  #crc = 0;
  #mark: Mark | undefined;
  /** The small parts as JSON. */
  readonly #small = new Map<string, string>();
  /** There may be many counts, so they are copied once, and compared entry by entry. */
  readonly #ruleCounts = new Map<string, RuleCount>();
  readonly #requestTallies = new Map<string, number>();
  readonly #ids = new Map(collections.map((name) => [name, new Set<string>()]));
  readonly #callbacks = new Set<string>();
  #points: (readonly [string, TrailPoint])[] = [];
  readonly #gone = new Set<number>();
  readonly #added = new Map<number, Due<DueWork>>();
  #watched: ProjectState['due'] | undefined;

  /**
   * An endpoint equal to the default endpoint is not written, so that after a restart the project uses the default
   * endpoint of that time.
   */
  constructor(project: string, defaultEndpoint: Endpoint | undefined) {
    this.#project = project;
    this.#defaultEndpoint = defaultEndpoint;
  }

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

  /** Stops the log: later changes cannot be written as lines. */
  end(): void {
    this.#mark = undefined;
  }

  /** Returns the lines of the whole project. The state may change after this call. */
  toWhole(state: ProjectState): Iterable<string> {
    for (const written of [this.#small, this.#ruleCounts, this.#requestTallies]) written.clear();
    const { scenarios, endpoint } = state;
    const isDefault = isSameEndpoint(endpoint, this.#defaultEndpoint);
    const set = {
      ...this.#takeSmallParts(state),
      ...toTexts({ scenarios, ...(!isDefault && { endpoint: endpoint ?? null }) }),
    };
    const all = { ...toAll(state), ...this.#takeCounts(state) };
    this.#start(state);
    this.#crc = startOf(this.#project);
    const head: LogHead = { format: logFormat, version: logVersion, project: this.#project };
    return this.#seal([JSON.stringify({ ...head, more: true })], toObjects(set, all));
  }

  /**
   * Returns lines with all changes since the last call of this or `toWhole`, with their current values, or undefined if
   * they cannot be written as lines. Long changes need several lines, which are valid only with the last one.
   */
  toLines(state: ProjectState): Iterable<string> | undefined {
    if (!this.#mark || !hasSameRareParts(this.#mark, state)) return undefined;
    const changes = { ...this.#toChanges(state), ...this.#takeCounts(state) };
    this.#start(state);
    return this.#seal(toObjects(this.#takeSmallParts(state), changes));
  }

  *#seal(...objects: readonly Iterable<string>[]): Generator<string> {
    for (const some of objects) {
      for (const object of some) {
        const { line, crc } = seal(object, this.#crc);
        this.#crc = crc;
        yield line;
      }
    }
  }

  #start({ records, scenarios, endpoint, due }: ProjectState): void {
    this.#mark = { records, scenarios, endpoint: endpoint && { ...endpoint }, due };
    for (const set of [...this.#ids.values(), this.#callbacks, this.#gone, this.#added]) set.clear();
    this.#points = [];
    if (this.#watched !== due) this.#watch(due);
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

  #toChanges({ records, callbacks }: ProjectState): Omit<LoggedChanges, CountName> {
    const changed = Array.from(this.#ids, ([name, ids]) => [
      name,
      Array.from(ids, (id) => [id, records[name].get(id)]),
    ]);
    return {
      ...(Object.fromEntries(changed) as Pick<LoggedChanges, CollectionName>),
      trails: [],
      points: this.#points,
      callbacks: Array.from(this.#callbacks, (id) => {
        const callback = callbacks.get(id);
        return callback ? ([id, copyCallback(callback)] as const) : ([id] as const);
      }),
      gone: [...this.#gone],
      added: [...this.#added.values()],
    };
  }

  #takeCounts({ ruleCounts, requestTallies }: ProjectState): Pick<LoggedChanges, CountName> {
    return {
      ruleCounts: takeCountChanges(this.#ruleCounts, ruleCounts, isSameCount, copyCount),
      requestTallies: takeCountChanges(this.#requestTallies, requestTallies, Object.is, (count) => count),
    };
  }

  /** Returns the small parts that have changed since they were written, as JSON. */
  #takeSmallParts(state: ProjectState): Texts {
    const { records, due, callbacks, ruleCounts, requestTallies, scenarios, endpoint, ...small } = state;
    const parts: SmallParts = { ...small, groups: [...state.groups], activations: [...state.activations] };
    const changed = Object.entries(toTexts(parts)).filter(([name, text]) => this.#small.get(name) !== text);
    for (const [name, text] of changed) this.#small.set(name, text);
    return Object.fromEntries(changed);
  }
}

type CountName = 'ruleCounts' | 'requestTallies';

/** JSON texts by name. */
type Texts = Readonly<Record<string, string>>;

function toTexts(parts: object): Texts {
  const texts = Object.entries(parts).map(
    ([name, value]) => [name, JSON.stringify(value) as string | undefined] as const,
  );
  return Object.fromEntries(texts.filter((one): one is [string, string] => one[1] !== undefined));
}

/**
 * Returns all that the long lists have, for later iteration. Records and due items are never changed, but replaced;
 * callbacks and trails are changed, so they are copied.
 */
function toAll({ records, due, callbacks }: ProjectState): Omit<LoggedChanges, CountName> {
  return {
    jobs: [...records.jobs],
    orders: [...records.orders],
    routes: [...records.routes],
    users: [...records.users],
    devices: [...records.devices],
    trails: Array.from(records.trails, ([device, points]) => [device, [...points]]),
    points: [],
    callbacks: Array.from(callbacks, ([id, callback]) => [id, copyCallback(callback)]),
    gone: [],
    added: [...due],
  };
}

function copyCallback(callback: Callback): Callback {
  return { ...callback, attempts: [...callback.attempts] };
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
): readonly MapChange<Count>[] {
  const changes: MapChange<Count>[] = [];
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

/** Writes objects with bounded lists. */
function* toObjects(set: Texts, changes: LoggedChanges): Generator<string> {
  let last: string | undefined;
  for (const chunk of toChunks(listAll(changes))) {
    if (last !== undefined) yield `{"more":true,${last}}`;
    last = chunk;
  }
  const members = Object.entries(set).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  yield `{"set":{${members.join()}}${last === undefined ? '' : `,${last}`}}`;
}

function* listAll(changes: LoggedChanges): Generator<readonly [string, unknown]> {
  for (const [list, values] of Object.entries(changes)) for (const value of values) yield [list, value];
}
