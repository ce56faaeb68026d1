/** Searches and sorts records, and caches the result of the last search. */
import type { Collection, StoredRecord } from './collections.ts';

export interface ListOptions {
  readonly q: string;
  /** Key of a column, with the prefix `-` for descending order. */
  readonly sort: string;
}

export const defaultSort = '-updatedAt';

const collator = new Intl.Collator('en', { numeric: true });
const texts = new WeakMap<StoredRecord, string>();

/** Returns the whole record in lower case, for the search. */
function textOf(record: StoredRecord): string {
  const cached = texts.get(record) ?? JSON.stringify(record).toLowerCase();
  texts.set(record, cached);
  return cached;
}

export type Arrange = (
  collection: Collection,
  all: readonly StoredRecord[],
  options: ListOptions,
) => readonly StoredRecord[];

export function createArrange(): Arrange {
  let cacheKey: readonly unknown[] = [];
  let matching: readonly StoredRecord[] = [];
  return (collection, all, { q, sort }) => {
    const key = [all, q, sort];
    if (key.some((value, index) => value !== cacheKey[index])) {
      const search = q.toLowerCase();
      const found = search === '' ? all : all.filter((record) => textOf(record).includes(search));
      matching = sorted(collection, found, sort);
      cacheKey = key;
    }
    return matching;
  };
}

function sorted(collection: Collection, found: readonly StoredRecord[], sort: string): readonly StoredRecord[] {
  const key = sort.replace(/^-/, '');
  const column = collection.columns.find((one) => one.key === key);
  if (!column) return found;
  const direction = sort.startsWith('-') ? -1 : 1;
  // Stored timestamps are more precise than displayed ones, and faster to compare.
  const isTime = key === 'updatedAt';
  const keyed = found.map((record) => ({ record, text: isTime ? String(record[key]) : column.text(record) }));
  const compare = isTime
    ? (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
    : (a: string, b: string) => collator.compare(a, b);
  // Empty values come last in both directions.
  return keyed
    .toSorted((a, b) => Number(a.text === '') - Number(b.text === '') || direction * compare(a.text, b.text))
    .map(({ record }) => record);
}
