/** Estimates the size of a JSON value in V8's heap, in bytes. `test/usage/size.long.test.ts` compares it with the heap. */

import { collections, type Records, type TrailPoint } from '../records/records.ts';

/** Size of a map entry with its key, without the value, in bytes. */
export const entryBytes = 120;

/** Number of properties above which V8 stores an object as a dictionary. */
const maxFastProperties = 64;

/** Maximum length of strings that the parser shares between values, so that each costs less than an object. */
const maxSharedLength = 10;

/** Estimates the size of a value, in bytes. Visits every part of it, at about 20 ns each. */
export function sizeOfValue(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return value.length <= maxSharedLength ? 12 : 24 + value.length;
    case 'number':
      return Number.isInteger(value) ? 0 : 12;
    case 'object':
      if (value === null) return 0;
      return Array.isArray(value) ? sizeOfList(value) : sizeOfObject(value);
    default:
      return 0;
  }
}

function sizeOfList(list: readonly unknown[]): number {
  if (list.length === 0) return 32;
  let size = 48 + 8 * list.length;
  for (const item of list) size += sizeOfValue(item);
  return size;
}

function sizeOfObject(object: object): number {
  let count = 0;
  let size = 24;
  for (const key in object) {
    count += 1;
    size += sizeOfValue(object[key as keyof object]);
  }
  // V8 reserves space for four properties in an empty object.
  if (count === 0) return 56;
  return size + (count > maxFastProperties ? 72 : 8) * count;
}

/**
 * Estimates the size of the parsed value of a JSON text, in bytes, by its length alone: typical bodies take twice as much. The
 * records that unusual ones become are counted again near a limit.
 */
export function sizeOfText(text: string): number {
  return 2 * text.length;
}

/** Returns the size of a stored text, in bytes: two per character if it has non-ASCII characters. */
export function sizeOfKeptText(text: string, bytes: number): number {
  return bytes === text.length ? bytes : 2 * text.length;
}

/** Size of a point of a trail without its fields, in bytes. */
const pointBytes = 48;

function sizeOfPoints(points: readonly TrailPoint[]): number {
  let size = 0;
  for (const { point } of points) size += pointBytes + sizeOfValue(point);
  return size;
}

/** Maximum number of records of a collection, and of trails, that are visited to estimate the total. */
const maxVisited = 200;

/** Estimates the size of all records, in bytes. Of many records, it visits a sample at even distances. */
export function sizeOfRecords(records: Records): number {
  let size = 0;
  for (const name of collections) {
    const stored = records[name];
    size += entryBytes * stored.size + sampled(stored.values(), stored.size, sizeOfValue);
  }
  return size + sampled(records.trails.values(), records.trails.size, sizeOfPoints);
}

function sampled<Item>(items: Iterable<Item>, count: number, sizeOf: (item: Item) => number): number {
  const every = Math.max(1, Math.floor(count / maxVisited));
  let visited = 0;
  let size = 0;
  let index = 0;
  for (const item of items) {
    if (index++ % every !== 0) continue;
    visited += 1;
    size += sizeOf(item);
  }
  return visited === 0 ? 0 : (size * count) / visited;
}
