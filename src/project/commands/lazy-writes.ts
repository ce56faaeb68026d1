/** Stores the records of a large import as references into the body text until one of them is read. */
import type { Json } from '../../lib/json.ts';
import type { Entry } from '../../operations/command.ts';
import { creates, type Operation } from '../../operations/index.ts';
import { createBatch } from '../../records/collection.ts';
import type { Write } from '../../records/records.ts';
import { sizeOfText } from '../../usage/size.ts';

/** Minimum number of records for which an import is stored as its text. */
const minLazyRecords = 50;

/** Fields that the sandbox adds to an entry. */
const addedFields = ['createdAt', 'updatedAt', 'subProjectId', 'trackingId', 'trackId'];

/** A body whose entries can be stored as they are. */
export interface EntrySource {
  readonly text: string;
}

/** Converts the writes of a large import to references into its text, if the text is known. */
export function toLazyWrites(
  writes: readonly Write[],
  entries: readonly Entry[],
  operation: Operation,
  source: EntrySource | undefined,
): readonly Write[] {
  const into = operation.list;
  if (source === undefined || writes.length < minLazyRecords) return writes;
  if (!creates(operation) || (into !== 'jobs' && into !== 'orders')) return writes;
  const unread = createBatch(source.text, into, Math.round(sizeOfText(source.text) / entries.length));
  const findIndex = createFinder(entries);
  return writes.map((write) => {
    const index = 'put' in write ? findIndex(write.put) : undefined;
    if (!('put' in write) || index === undefined) return write;
    const added: Json = {};
    for (const field of addedFields) if (write.put[field] !== undefined) added[field] = write.put[field];
    return { unread, index, added, into, id: write.id };
  });
}

/**
 * Creates a function that returns the index of an entry by its object, because an id can occur twice.
 * The entries are nearly always looked up in order, so the next one is tried first. A map of objects would write into
 * each object.
 */
function createFinder(entries: readonly Entry[]): (value: Json) => number | undefined {
  let next = 0;
  return (value) => {
    for (let tried = 0; tried < entries.length; tried += 1) {
      const { value: entryValue, item } = entries[(next + tried) % entries.length] as Entry;
      if (entryValue !== value) continue;
      next = (next + tried + 1) % entries.length;
      return item - 1;
    }
    return undefined;
  };
}
