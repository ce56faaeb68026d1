/** Estimates how much of the heap a project's records use, and how a write changes that. */
import type { Json } from '../lib/json.ts';
import { collections, type Records, type TrailPoint, type Write } from '../records/records.ts';
import { entryBytes, sizeOfValue } from './size.ts';

/** Size of a point of a trail without its fields, in bytes. */
const pointBytes = 48;

export function sizeOfPoints(points: readonly TrailPoint[]): number {
  let size = 0;
  for (const { point } of points) size += pointBytes + sizeOfValue(point);
  return size;
}

/** Returns the growth of the records by a write, in bytes; may be negative. Call it before applying the write. */
export function growthOf(records: Records, write: Write): number {
  if ('point' in write) return pointBytes + sizeOfValue(write.point);
  const existing = records[write.into].get(write.id);
  return existing ? difference(existing, write.put) : entryBytes + sizeOfValue(write.put);
}

/** Returns the difference in size, in bytes. An update shares most fields, so only changed ones are visited. */
function difference(before: Json, after: Json): number {
  let size = 0;
  for (const key in after) {
    if (after[key] === before[key]) continue;
    size += sizeOfValue(after[key]) - sizeOfValue(before[key]);
    if (before[key] === undefined) size += 8;
  }
  for (const key in before) if (after[key] === undefined) size -= sizeOfValue(before[key]) + 8;
  return size;
}

/** Maximum number of records of a collection, and of trails, that are visited to estimate the total. */
const maxVisited = 2000;

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
