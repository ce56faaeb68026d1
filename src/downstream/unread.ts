/** Keeps what a large import has stored as the text that it came in, until somebody looks at one of its records. */
import type { Json } from '../base/json.ts';
import { creates, type Operation } from '../operations/index.ts';
import type { Entry } from '../operations/task.ts';
import { createBatch } from '../store/collection.ts';
import type { Write } from '../store/records.ts';

/** From so many records on, an import is kept as its text until one is looked at. */
const leastUnread = 50;

/** What the sandbox adds to an entry. */
const addedFields = ['createdAt', 'updatedAt', 'subProjectId', 'trackingId', 'trackId'];

/** The writes of a large import as places in its text, where that is known. */
export function toUnread(
  writes: readonly Write[],
  entries: readonly Entry[],
  operation: Operation,
  source: string | undefined,
): readonly Write[] {
  const into = operation.list;
  if (source === undefined || writes.length < leastUnread) return writes;
  if (!creates(operation) || (into !== 'jobs' && into !== 'orders')) return writes;
  const unread = createBatch(source, into);
  const placeOf = createFinder(entries);
  return writes.map((write) => {
    const index = 'put' in write ? placeOf(write.put) : undefined;
    if (!('put' in write) || index === undefined) return write;
    const added: Json = {};
    for (const field of addedFields) if (write.put[field] !== undefined) added[field] = write.put[field];
    return { unread, index, added, into, id: write.id };
  });
}

/**
 * Tells where in its list an entry stands, by the object itself: where an id stands twice, each has its own place. They
 * are asked for in order, so the next is nearly always the one; a map of objects would write into each of them.
 */
function createFinder(entries: readonly Entry[]): (value: Json) => number | undefined {
  let next = 0;
  return (value) => {
    for (let tried = 0; tried < entries.length; tried += 1) {
      const { value: own, item } = entries[(next + tried) % entries.length] as Entry;
      if (own !== value) continue;
      next = (next + tried + 1) % entries.length;
      return item - 1;
    }
    return undefined;
  };
}
