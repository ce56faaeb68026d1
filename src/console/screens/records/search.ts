/** Searches records, and caches the result of the last search. */
import type { StoredRecord } from './collections.ts';

const texts = new WeakMap<StoredRecord, string>();

/** Returns the whole record in lower case, for the search. */
function textOf(record: StoredRecord): string {
  const cached = texts.get(record) ?? JSON.stringify(record).toLowerCase();
  texts.set(record, cached);
  return cached;
}

export type Search = (all: readonly StoredRecord[], q: string) => readonly StoredRecord[];

/** Returns the same list for the same search, so that the table does not sort it again. */
export function createSearch(): Search {
  let last: { readonly all: readonly StoredRecord[]; readonly q: string } | undefined;
  let matching: readonly StoredRecord[] = [];
  return (all, q) => {
    if (last?.all === all && last.q === q) return matching;
    const search = q.toLowerCase();
    matching = search === '' ? all : all.filter((record) => textOf(record).includes(search));
    last = { all, q };
    return matching;
  };
}
