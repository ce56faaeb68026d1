/** Writes a project as lines of a log: first the whole project, then what has changed since. */
import { type Callback, type Endpoint, isSameEndpoint } from '../../../callbacks/callback.ts';
import type { CallbackGroup } from '../../../callbacks/groups.ts';
import { toChunks } from '../../../lib/chunks.ts';
import { applyWrites, createRecords, type Records, type Write } from '../../../records/records.ts';
import type { Activation, RuleCount } from '../../../scenarios/counts.ts';
import type { Due } from '../../schedule.ts';
import type { DueWork, ProjectState } from '../../state.ts';
import { seal, startOf } from '../format/checked-lines.ts';

/** A change of a map. A key without a value means that the entry was deleted. */
type MapChange<Value> = readonly [key: string, value?: Value];

/** New and changed values of the long lists. Those of a trail are its new points. */
type LoggedChanges = {
  readonly [Name in keyof Records]: Iterable<
    readonly [string, Records[Name] extends Map<string, infer Value> ? Value : never]
  >;
} & {
  readonly callbacks: readonly MapChange<Callback>[];
  readonly gone: Iterable<number>;
  readonly added: Iterable<Due<DueWork>>;
  readonly ruleCounts: readonly MapChange<RuleCount>[];
  readonly requestTallies: readonly MapChange<number>[];
};

type OtherPart = 'records' | 'due' | 'callbacks' | 'ruleCounts' | 'requestTallies' | 'scenarios' | 'endpoint';

/** The small parts of the project state as JSON values. A changed part is written as a whole. */
type SmallParts = Omit<ProjectState, OtherPart | 'groups' | 'activations'> & {
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

/** What is to be written of the long lists, except counts. */
class Noted {
  readonly records: Records = createRecords();
  /** Ids of the callbacks that were created, changed or deleted. */
  readonly callbacks: Set<string> = new Set();
  readonly gone: Set<number> = new Set();
  readonly added: Map<number, Due<DueWork>> = new Map();
}

/**
 * The changes of one project since it was written. They cannot be written as lines until the whole project was. The
 * checksum of each line continues that of the line before.
 */
export class UnwrittenChanges {
  readonly #project: string;
  readonly #defaultEndpoint: Endpoint | undefined;
  #noted = new Noted();
  /** Parts of the state when it was written last. If one is another object, the whole project is written. */
  #mark: Pick<ProjectState, 'records' | 'scenarios' | 'endpoint' | 'due'> | undefined;
  #watched: ProjectState['due'] | undefined;
  /** The small parts, as JSON, and the counts as they were written last. */
  readonly #small = new Map<string, string>();
  readonly #ruleCounts = new Map<string, RuleCount>();
  readonly #requestTallies = new Map<string, number>();
  #crc = 0;

  /**
   * An endpoint equal to the default endpoint is not written, so that after a restart the project uses the default
   * endpoint of that time.
   */
  constructor(project: string, defaultEndpoint: Endpoint | undefined) {
    this.#project = project;
    this.#defaultEndpoint = defaultEndpoint;
  }

  trackWrites(writes: readonly Write[]): void {
    applyWrites(this.#noted.records, writes);
  }

  /** Notes that a callback was created, changed or deleted. */
  trackCallback(callback: string): void {
    this.#noted.callbacks.add(callback);
  }

  /** Stops the log: later changes cannot be written as lines. */
  end(): void {
    this.#mark = undefined;
  }

  /** Returns the lines of the whole project. The state may change after this call. */
  toWhole(state: ProjectState): Iterable<string> {
    const { records, callbacks, due, scenarios, endpoint } = state;
    for (const written of [this.#small, this.#ruleCounts, this.#requestTallies]) written.clear();
    const isDefault = isSameEndpoint(endpoint, this.#defaultEndpoint);
    const rare: RareParts = { scenarios, ...(!isDefault && { endpoint: endpoint ?? null }) };
    const head: LogHead = { format: logFormat, version: logVersion, project: this.#project };
    this.#crc = startOf(this.#project);
    const all = { records, callbacks: callbacks.keys(), gone: [], added: due };
    return this.#write(state, all, [JSON.stringify({ ...head, more: true })], rare);
  }

  /**
   * Returns lines with all changes since the last call of this or `toWhole`, with their current values, or undefined if
   * they cannot be written as lines. Long changes need several lines, which are valid only with the last one.
   */
  toLines(state: ProjectState): Iterable<string> | undefined {
    const mark = this.#mark;
    const isSame = mark?.records === state.records && mark.scenarios === state.scenarios && mark.due === state.due;
    if (!isSame || !isSameEndpoint(mark.endpoint, state.endpoint)) return undefined;
    return this.#write(state, { ...this.#noted, added: this.#noted.added.values() });
  }

  /**
   * Captures what is to be written, and starts to note what changes from now on. Records and due items are never changed,
   * but replaced; callbacks and trails are changed, so they are copied.
   */
  #write(
    state: ProjectState,
    {
      records,
      callbacks,
      gone,
      added,
    }: Record<'callbacks', Iterable<string>> & Pick<LoggedChanges, 'gone' | 'added'> & { readonly records: Records },
    head: readonly string[] = [],
    rare: Partial<RareParts> = {},
  ): Iterable<string> {
    const { groups, activations } = state;
    const {
      records: _r,
      due: _d,
      callbacks: _c,
      ruleCounts,
      requestTallies,
      scenarios: _s,
      endpoint: _e,
      ...parts
    } = state;
    const small: SmallParts = { ...parts, groups: [...groups], activations: [...activations] };
    const changes: LoggedChanges = {
      jobs: [...records.jobs],
      orders: [...records.orders],
      routes: [...records.routes],
      users: [...records.users],
      devices: [...records.devices],
      trails: Array.from(records.trails, ([device, points]) => [device, [...points]]),
      callbacks: Array.from(callbacks, (id) => {
        const callback = state.callbacks.get(id);
        return callback ? [id, { ...callback, attempts: [...callback.attempts] }] : [id];
      }),
      gone: [...gone],
      added: [...added],
      ruleCounts: takeChanges(this.#ruleCounts, ruleCounts, isSameCount, copyCount),
      requestTallies: takeChanges(this.#requestTallies, requestTallies),
    };
    const set = [...takeChanges(this.#small, new Map(toTexts(small))), ...toTexts(rare)];
    this.#begin(state);
    // A part that is gone is null.
    const members = set.map(([name, text = 'null']) => `"${name}":${text}`);
    return this.#seal(head, toObjects(`{${members.join()}}`, changes));
  }

  #begin({ records, scenarios, endpoint, due }: ProjectState): void {
    this.#noted = new Noted();
    this.#mark = { records, scenarios, endpoint: endpoint && { ...endpoint }, due };
    if (this.#watched === due) return;
    this.#watched = due;
    due.watch({
      added: (item) => void (this.#watched === due && this.#noted.added.set(item.order, item)),
      removed: ({ order }) => {
        if (this.#watched === due && !this.#noted.added.delete(order)) this.#noted.gone.add(order);
      },
    });
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
}

/** Returns the entries that differ from those that were written last, and notes copies of them as written. */
function takeChanges<Value>(
  written: Map<string, Value>,
  present: ReadonlyMap<string, Value>,
  isSame: (one: Value, other: Value) => boolean = Object.is,
  copy: (value: Value) => Value = (value) => value,
): MapChange<Value>[] {
  const changes: MapChange<Value>[] = [];
  for (const [key, value] of present) {
    const before = written.get(key);
    if (before !== undefined && isSame(before, value)) continue;
    const copied = copy(value);
    written.set(key, copied);
    changes.push([key, copied]);
  }
  if (written.size === present.size) return changes;
  for (const key of written.keys()) {
    if (present.has(key)) continue;
    written.delete(key);
    changes.push([key]);
  }
  return changes;
}

/** A project may have 20,000 counts: to compare their JSON at each write takes 10 ms. */
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

function copyCount(count: RuleCount): RuleCount {
  return count.window ? { ...count, window: { ...count.window } } : { ...count };
}

/** Returns the JSON of each part. */
function toTexts(parts: object): (readonly [name: string, text: string])[] {
  return Object.entries(parts).flatMap(([name, part]) => (part === undefined ? [] : [[name, JSON.stringify(part)]]));
}

/** Writes objects with bounded lists. */
function* toObjects(set: string, changes: LoggedChanges): Generator<string> {
  let last: string | undefined;
  for (const chunk of toChunks(listAll(changes))) {
    if (last !== undefined) yield `{"more":true,${last}}`;
    last = chunk;
  }
  yield `{"set":${set}${last === undefined ? '' : `,${last}`}}`;
}

function* listAll(changes: LoggedChanges): Generator<readonly [string, unknown]> {
  for (const [list, values] of Object.entries(changes)) for (const value of values) yield [list, value];
}
