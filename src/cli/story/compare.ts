/** Compares two stories: pairs their items, and lists the values that differ. */
import { groupBy } from '../../lib/group-by.ts';
import type { Json } from '../../lib/json.ts';
import { toPointer } from '../../lib/pointer.ts';
import { type Story, type StoryItem, storyParts } from './story.ts';

/** A value that differs, with its place in the item as a JSON pointer. `undefined` means that it is missing. */
export interface ValueDifference {
  readonly path: string;
  readonly values: readonly [unknown, unknown];
}

/** An item that differs, or that only one of the stories has. */
export type ItemDifference =
  | { readonly label: string; readonly differing: readonly ValueDifference[] }
  | { readonly label: string; readonly onlyIn: 0 | 1 };

/** The comparison of one part of the stories. */
export interface PartComparison {
  readonly part: (typeof storyParts)[number];
  /** Number of compared items: pairs, and those that only one story has. */
  readonly count: number;
  readonly differences: readonly ItemDifference[];
}

export function compareStories(one: Story, other: Story): readonly PartComparison[] {
  return storyParts.map((part) => {
    const pairs = pairItems(one[part], other[part]);
    return { part, count: pairs.length, differences: pairs.flatMap(compareItems) };
  });
}

/** Something that pairs by keys, the strictest first. */
interface Keyed {
  readonly keys: readonly string[];
}

export type Pair<Item> = readonly [Item | undefined, Item | undefined];

/**
 * Pairs items that have a key in common, the strictest key first, equal ones in their order. Their order otherwise does
 * not count, because parallel requests arrive in any order. Returns the pairs in the order of the first list.
 */
export function pairItems<Item extends Keyed>(one: readonly Item[], other: readonly Item[]): readonly Pair<Item>[] {
  const partners = new Map<Item, Item>();
  const taken = new Set<Item>();
  const levels = Math.max(0, ...[one[0], other[0]].map((item) => item?.keys.length ?? 0));
  for (let level = 0; level < levels; level += 1) {
    const keyOf = (item: Item): string => item.keys[level] ?? '';
    const left = other.filter((item) => !taken.has(item));
    const free = groupBy(left, keyOf);
    for (const item of one) {
      const partner = partners.has(item) ? undefined : free.get(keyOf(item))?.shift();
      if (!partner) continue;
      partners.set(item, partner);
      taken.add(partner);
    }
  }
  return [
    ...one.map((item): Pair<Item> => [item, partners.get(item)]),
    ...other.filter((item) => !taken.has(item)).map((item): Pair<Item> => [undefined, item]),
  ];
}

function compareItems([one, other]: Pair<StoryItem>): readonly ItemDifference[] {
  if (!one || !other) return [{ label: (one ?? other)?.label ?? '', onlyIn: one ? 0 : 1 }];
  const differing = [...findDifferences(one.value, other.value, '')].toSorted(byDepth);
  return differing.length === 0 ? [] : [{ label: one.label, differing }];
}

/** Sorts by depth, so that a status comes before the fields of a body. */
function byDepth(one: ValueDifference, other: ValueDifference): number {
  return one.path.split('/').length - other.path.split('/').length;
}

function* findDifferences(one: unknown, other: unknown, path: string): Generator<ValueDifference> {
  if (one === other) return;
  if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) {
    yield { path, values: [one, other] };
    return;
  }
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
    yield* findDifferences(readOwn(one, key), readOwn(other, key), path + toPointer([key]));
}

function readOwn(container: Json, key: string): unknown {
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

function isContainer(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}
