/** What has changed in a world since it was written, as one line of a log; and a world with such lines carried out. */
import type { Callback } from './callbacks/callback.ts';
import type { Due } from './downstream/schedule.ts';
import {
  applyWrites,
  type CollectionName,
  collections,
  type StoredRecord,
  type TrailPoint,
  type Write,
} from './store/records.ts';
import type { WorldData, WorldDue } from './world-data.ts';
import type { WorldValue } from './world-value.ts';

/** Small parts of a world: each goes whole into a line where it is another than before. */
const smallParts = [
  'clock',
  'dueCount',
  'requestCount',
  'groups',
  'ruleCounts',
  'requestTallies',
  'activations',
  'changeCount',
  'serverScenarios',
  'shownMs',
] as const;

type SmallParts = Pick<WorldValue, (typeof smallParts)[number]>;

/** One line: what there is in place of what was. */
interface Line {
  /** Names the text that it goes on from; one of another has no meaning any more. */
  readonly of: string;
  readonly set: Partial<SmallParts>;
  readonly records: Partial<Record<CollectionName, readonly (readonly [string, StoredRecord])[]>>;
  readonly points: readonly (readonly [device: string, TrailPoint])[];
  /** Alone, an id is of one that there is no more. */
  readonly callbacks: readonly (readonly [id: string, callback?: Callback])[];
  readonly due: { readonly gone: readonly number[]; readonly added: readonly Due<WorldDue>[] };
}

export interface WorldLog {
  /** Told of what is written to the records. */
  wrote(writes: readonly Write[]): void;
  /** Told of a callback that is new, another than before, or gone. */
  touched(callback: string): void;
  /** All that has changed since this or `begin` was called; undefined where it can't be said in a line. */
  toLine(data: WorldData, of: string): string | undefined;
  /** From here on: the world was written whole. */
  begin(data: WorldData): void;
  /** What has changed from here on can't be said in a line. */
  end(): void;
}

/** What a world was when it was last written, as far as it has to be compared. */
interface Mark {
  readonly records: WorldData['records'];
  /** What is rarely set, and then needs the whole to be written. */
  readonly rare: string;
  readonly small: Readonly<Record<(typeof smallParts)[number], string>>;
  readonly due: ReadonlySet<number>;
}

/** A log of one world at a time, of which nothing is known at first. */
export function createWorldLog(): WorldLog {
  let mark: Mark | undefined;
  const ids = Object.fromEntries(collections.map((name) => [name, new Set<string>()])) as Record<
    CollectionName,
    Set<string>
  >;
  const callbacks = new Set<string>();
  let points: (readonly [string, TrailPoint])[] = [];

  function begin(next: Mark): void {
    mark = next;
    for (const set of [...Object.values(ids), callbacks]) set.clear();
    points = [];
  }

  function recordsOf(data: WorldData): Line['records'] {
    const changed = collections.filter((name) => ids[name].size > 0);
    return Object.fromEntries(
      changed.map((name) => [name, [...ids[name]].map((id) => [id, data.records[name].get(id)])]),
    ) as Line['records'];
  }

  return {
    wrote: (writes) => {
      for (const write of writes) {
        if ('point' in write) points.push([write.device, { point: write.point, at: write.at }]);
        else ids[write.into].add(write.id);
      }
    },
    touched: (callback) => void callbacks.add(callback),
    begin: (data) => begin(toMark(data)),
    end: () => {
      mark = undefined;
    },
    toLine: (data, of) => {
      const before = mark;
      const after = toMark(data);
      if (!before || before.records !== after.records || before.rare !== after.rare) return undefined;
      const set = smallParts
        .filter((name) => after.small[name] !== before.small[name])
        .map((name) => `${JSON.stringify(name)}:${after.small[name]}`);
      const rest = {
        records: recordsOf(data),
        points,
        callbacks: [...callbacks].map((id) => {
          const callback = data.callbacks.get(id);
          return callback ? [id, callback] : [id];
        }),
        due: compareDue(before.due, after.due, data.due),
      };
      begin(after);
      return `{"of":${JSON.stringify(of)},"set":{${set.join()}},${JSON.stringify(rest).slice(1)}\n`;
    },
  };
}

function toMark(data: WorldData): Mark {
  return {
    records: data.records,
    rare: toRare(data),
    small: toSmall(data),
    due: new Set(data.due.map(({ order }) => order)),
  };
}

function toRare({ endpoint, scenarios }: WorldData): string {
  return JSON.stringify([endpoint ?? null, scenarios]);
}

/** Their texts. */
function toSmall(data: WorldData): Record<(typeof smallParts)[number], string> {
  const { groups, ruleCounts, requestTallies, activations } = data;
  const value = { ...data, groups: [...groups], ruleCounts: [...ruleCounts], requestTallies: [...requestTallies] };
  const parts = { ...value, activations: [...activations] };
  return Object.fromEntries(smallParts.map((name) => [name, JSON.stringify(parts[name])])) as ReturnType<
    typeof toSmall
  >;
}

function compareDue(before: ReadonlySet<number>, now: ReadonlySet<number>, due: WorldData['due']): Line['due'] {
  const gone = [...before].filter((order) => !now.has(order));
  const added = due.filter(({ order }) => !before.has(order)).toSorted((a, b) => a.order - b.order);
  return { gone, added };
}

/** Carries out the lines of a log that go on from the text so named. @throws SyntaxError with the number of a bad line */
export function carryOutLog(data: WorldData, of: string, log: string): void {
  const lines = log.split('\n');
  // What has no end was being written when the server was killed: it was not answered.
  for (const [index, line] of lines.slice(0, -1).entries()) {
    const parsed = parseLine(line, index + 1);
    if (parsed.of === of) carryOut(data, parsed);
  }
}

function parseLine(line: string, number: number): Line {
  let parsed: Partial<Line> | null = null;
  try {
    parsed = JSON.parse(line) as Partial<Line> | null;
  } catch {
    // Said below.
  }
  const { of, set, records, points, callbacks, due } = parsed ?? {};
  if (of !== undefined && set && records && points && callbacks && due)
    return { of, set, records, points, callbacks, due };
  throw new SyntaxError(`line ${number}`);
}

function carryOut(data: WorldData, { set, records, points, callbacks, due }: Line): void {
  const { groups, ruleCounts, requestTallies, activations, ...plain } = set;
  Object.assign(data, plain);
  if (groups) data.groups = new Map(groups);
  if (ruleCounts) data.ruleCounts = new Map(ruleCounts);
  if (requestTallies) data.requestTallies = new Map(requestTallies);
  if (activations) data.activations = new Map(activations);
  for (const name of collections) for (const [id, record] of records[name] ?? []) data.records[name].set(id, record);
  applyWrites(
    data.records,
    points.map(([device, { point, at }]) => ({ point, device, at })),
  );
  for (const [id, callback] of callbacks) {
    if (callback) data.callbacks.set(id, callback);
    else data.callbacks.delete(id);
  }
  const gone = new Set(due.gone);
  data.due = data.due.filter(({ order }) => !gone.has(order));
  for (const one of due.added) {
    const place = data.due.findIndex(({ dueAt }) => dueAt > one.dueAt);
    data.due.splice(place < 0 ? data.due.length : place, 0, one);
  }
}
