/** Finds how exactly two runs without any failure are alike, which decides how exactly others are compared with them. */
import type { Item } from './contents.ts';

/**
 * `exact`: by id and content. `content`: without ids, which differ from run to run. `numbers`: only how many there are
 * of each collection and status. `none`: not even that is the same.
 */
export const levels = ['exact', 'content', 'numbers', 'none'] as const;
export type Level = (typeof levels)[number];

/** How to compare items: at this level, without these fields. */
export interface Comparison {
  readonly level: Level;
  /** Fields that differ between the runs, as `COLLECTION PATH`. */
  readonly ignored: ReadonlySet<string>;
}

/** Returns the finest level at which all runs are alike, and the fields to ignore for that. */
export function findComparison(runs: readonly (readonly Item[])[]): Comparison {
  const ignored = findVarying(runs);
  for (const level of levels) {
    const comparison = { level, ignored };
    const texts = runs.map((items) =>
      items
        .map((item) => toKey(item, comparison))
        .toSorted()
        .join('\n'),
    );
    if (level === 'none' || texts.every((text) => text === texts[0])) return comparison;
  }
  return { level: 'none', ignored };
}

/** Returns the text of an item by which it is compared. */
export function toKey({ collection, id, value }: Item, { level, ignored }: Comparison): string {
  if (level === 'none') return '';
  if (level === 'numbers') return `${collection} ${JSON.stringify(value['status'] ?? null)}`;
  const content = JSON.stringify(toLeaves(collection, value).filter(([path]) => !ignored.has(path)));
  return level === 'exact' ? `${collection} ${id} ${content}` : `${collection} ${content}`;
}

/** Returns the fields whose values are not the same in all runs, over all items of their collection. */
function findVarying(runs: readonly (readonly Item[])[]): ReadonlySet<string> {
  const [first, ...others] = runs.map(collectValues);
  const varying = new Set<string>();
  for (const other of others) {
    for (const path of new Set([...(first?.keys() ?? []), ...other.keys()])) {
      if (first?.get(path)?.toSorted().join('\n') !== other.get(path)?.toSorted().join('\n')) varying.add(path);
    }
  }
  return varying;
}

function collectValues(items: readonly Item[]): ReadonlyMap<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { collection, value } of items) {
    for (const [path, leaf] of toLeaves(collection, value)) {
      const list = values.get(path) ?? [];
      values.set(path, list);
      list.push(leaf);
    }
  }
  return values;
}

/** Returns all values in an object with their paths, sorted. Elements of a list share a path. */
export function toLeaves(path: string, value: unknown): readonly (readonly [path: string, value: string])[] {
  if (Array.isArray(value)) return value.flatMap((one) => toLeaves(`${path}[]`, one));
  if (typeof value !== 'object' || value === null) return [[path, JSON.stringify(value) ?? 'null']];
  return Object.entries(value)
    .flatMap(([name, one]) => toLeaves(`${path} ${name}`, one))
    .toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
}
