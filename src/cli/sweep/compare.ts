/** Compares a run under a failure with runs without any, and lists what is missing, more than there, or different. */
import { groupBy } from '../../lib/group-by.ts';
import { type Pair, pairItems } from '../story/compare.ts';
import type { Item, Life } from '../trial/lives.ts';

/** The part of a run that is compared. */
export interface ComparedRun {
  readonly lives: readonly Pick<Life, 'records' | 'changes'>[];
  /** Wall time at its beginning, in milliseconds. */
  readonly startedAtMs: number;
}

/** Records that differ: the same record, or as many of a collection, with other content. */
export interface DifferingItem {
  readonly collection: string;
  readonly id: string;
  /** Names of the fields that differ. */
  readonly fields: readonly string[];
}

/** What a run under a failure left, compared with a run without any. Ids are '' where they differ from run to run. */
export interface Differences {
  readonly missing: readonly Item[];
  readonly extra: readonly Item[];
  readonly differing: readonly DifferingItem[];
  /** Changes that were not applied, although the records they belong to may be the same at the end. */
  readonly missingChanges: readonly Item[];
}

/**
 * How exactly runs are compared. `exact`: by id and content. `content`: without ids, which differ from run to run.
 * `numbers`: only how many there are of each collection and status. `none`: not even that is the same.
 */
export type Level = 'exact' | 'content' | 'numbers' | 'none';

/** Compares runs with those without any failure. */
export class Comparer {
  readonly #records: Comparison;
  readonly #changes: Comparison;
  /** Records that all runs without a failure have, by their ids. */
  readonly #stable: readonly Item[];

  constructor(baselines: readonly ComparedRun[]) {
    const records = baselines.map((run) => toItems(run, 'records'));
    const ids = records.map((items) => new Set(items.map(toId)));
    this.#records = new Comparison(records);
    this.#changes = new Comparison(baselines.map((run) => toItems(run, 'changes')));
    this.#stable = (records[0] ?? []).filter((item) => ids.every((one) => one.has(toId(item))));
  }

  get level(): Level {
    return this.#records.level;
  }

  compare(run: ComparedRun): Differences {
    const records = toItems(run, 'records');
    const isExact = this.level === 'exact';
    const pairs = this.#records.pair(records);
    const missing = pairs.flatMap(([one, other]) => (one && !other ? one : []));
    const extra = pairs.flatMap(([one, other]) => (other && !one ? other : []));
    const differing = pairs.flatMap(([one, other]) => {
      if (!one || !other || one.keys[0] === other.keys[0]) return [];
      const { collection, id } = one;
      return [{ collection, id: isExact ? id : '', fields: this.#records.findFields(one, other) }];
    });
    const changes = this.#changes.pair(toItems(run, 'changes'));
    return {
      missing: isExact ? missing : this.#named(missing, records),
      extra: isExact ? extra : extra.map((one) => ({ ...one, id: '' })),
      differing,
      missingChanges: changes.flatMap(([one, other]) => (one && one.keys[0] !== other?.keys[0] ? one : [])),
    };
  }

  /** Which of several records with the same content is missing, only ids can say. */
  #named(missing: readonly Item[], actual: readonly Item[]): readonly Item[] {
    const present = new Set(actual.map(toId));
    const names = this.#stable.filter((item) => !present.has(toId(item)));
    return missing.map((item) => {
      const at = names.findIndex(({ collection }) => collection === item.collection);
      return { ...item, id: at < 0 ? '' : (names.splice(at, 1)[0]?.id ?? '') };
    });
  }
}

/** Returns all records or changes of a run, without values that differ from run to run. */
function toItems({ lives, startedAtMs }: ComparedRun, part: 'records' | 'changes'): readonly Item[] {
  return lives.flatMap((life) =>
    life[part].map((item) => ({ ...item, value: withoutTimes(item.value, startedAtMs) as Item['value'] })),
  );
}

function toId({ collection, id }: Item): string {
  return `${collection} ${id}`;
}

/** Times this close to the run come from its clock, in milliseconds. */
const nearMs = 24 * 3_600_000;

function withoutTimes(value: unknown, nowMs: number): unknown {
  if (typeof value === 'string') return isNear(value, nowMs) ? '(time)' : value;
  if (Array.isArray(value)) return value.map((one) => withoutTimes(one, nowMs));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutTimes(one, nowMs)]));
}

function isNear(text: string, nowMs: number): boolean {
  return /^\d{4}-\d\d-\d\d[T ]\d\d:/.test(text) && Math.abs(Date.parse(text) - nowMs) < nearMs;
}

interface KeyedItem extends Item {
  readonly keys: readonly string[];
}

/** A value in an item with its path. Elements of a list share a path. */
type Leaf = readonly [path: string, value: string];

/** Compares the items of a run with those of the first of several runs, at the finest level at which these are alike. */
class Comparison {
  readonly #expected: readonly Item[];
  /** Paths at which the runs differ. */
  readonly #ignored: ReadonlySet<string>;
  readonly level: Level;

  constructor(runs: readonly (readonly Item[])[]) {
    this.#expected = runs[0] ?? [];
    this.#ignored = findVarying(runs);
    const levels = ['exact', 'content', 'numbers'] as const;
    const toText = (items: readonly Item[], level: Level): string =>
      items
        .map((item) => this.#toKey(item, level))
        .toSorted()
        .join('\n');
    this.level =
      levels.find((level) => new Set(runs.map((items) => toText(items, level))).size === 1) ?? ('none' as const);
  }

  /** Pairs items with the same key; in the second place, those with the same id, or of one collection. */
  pair(actual: readonly Item[]): readonly Pair<KeyedItem>[] {
    const { level } = this;
    if (level === 'none') return [];
    const toKeyed = (item: Item): KeyedItem => {
      return { ...item, keys: [this.#toKey(item, level), level === 'exact' ? toId(item) : item.collection] };
    };
    return pairItems(this.#expected.map(toKeyed), actual.map(toKeyed));
  }

  /** Returns the names of the fields that differ. */
  findFields(one: Item, other: Item): readonly string[] {
    const [first, second] = [one, other].map((item) => this.#toLeaves(item, this.level).map((leaf) => leaf.join('\n')));
    const different = [...(first ?? []), ...(second ?? [])].filter(
      (leaf) => !first?.includes(leaf) || !second?.includes(leaf),
    );
    const paths = different.map((leaf) => leaf.slice(one.collection.length, leaf.indexOf('\n')));
    return [...new Set(paths)].map((path) => path.trim().replaceAll(' ', '.'));
  }

  #toKey(item: Item, level: Level): string {
    const { collection, id } = item;
    return `${collection} ${level === 'exact' ? id : ''} ${JSON.stringify(this.#toLeaves(item, level))}`;
  }

  #toLeaves({ collection, value }: Item, level: Level): readonly Leaf[] {
    if (level === 'numbers') return [[`${collection} status`, JSON.stringify(value['status'] ?? null)]];
    return toLeaves(collection, value).filter(([path]) => !this.#ignored.has(path));
  }
}

/** Returns the paths whose values are not the same in all runs, over all items of their collection. */
function findVarying(runs: readonly (readonly Item[])[]): ReadonlySet<string> {
  const byPath = runs.map((items) =>
    groupBy(
      items.flatMap(({ collection, value }) => toLeaves(collection, value)),
      ([path]) => path,
    ),
  );
  const paths = new Set(byPath.flatMap((values) => [...values.keys()]));
  const toText = (values: (typeof byPath)[number], path: string): string =>
    JSON.stringify((values.get(path) ?? []).map(([, value]) => value).toSorted());
  return new Set([...paths].filter((path) => new Set(byPath.map((values) => toText(values, path))).size > 1));
}

/** Returns all values in an object with their paths, sorted. */
function toLeaves(path: string, value: unknown): readonly Leaf[] {
  if (Array.isArray(value)) return value.flatMap((one) => toLeaves(`${path}[]`, one));
  if (typeof value !== 'object' || value === null) return [[path, JSON.stringify(value) ?? 'null']];
  return Object.entries(value)
    .flatMap(([name, one]) => toLeaves(`${path} ${name}`, one))
    .toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
}
