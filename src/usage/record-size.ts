/** Estimates how much of the heap a project's records use. */
import { collections, type Records, type TrailPoint } from '../records/records.ts';
import { entryBytes, sizeOfValue } from './size.ts';

/** Size of a point of a trail without its fields, in bytes. */
const pointBytes = 48;

function sizeOfPoints(points: readonly TrailPoint[]): number {
  let size = 0;
  for (const { point } of points) size += pointBytes + sizeOfValue(point);
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
