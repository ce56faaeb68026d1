/** Searches, sorts and cuts into pages, without doing again what it did the last time. */
import type { Collection, StoredRecord } from './records-collections.ts';

export const pageSize = 50;

export interface Wanted {
  readonly q: string;
  /** A column's key; with `-` before it the other way round. */
  readonly sort: string;
  readonly page: number;
}

export interface Arranged {
  readonly fitting: readonly StoredRecord[];
  readonly shown: readonly StoredRecord[];
  /** From 1; the last one where a later one was asked for. */
  readonly page: number;
  readonly pages: number;
}

export const usualSort = '-updatedAt';

const collator = new Intl.Collator('en', { numeric: true });
const texts = new WeakMap<StoredRecord, string>();

/** All of a record in small letters, to be searched. */
function textOf(record: StoredRecord): string {
  const known = texts.get(record) ?? JSON.stringify(record).toLowerCase();
  texts.set(record, known);
  return known;
}

export type Arrange = (collection: Collection, all: readonly StoredRecord[], wanted: Wanted) => Arranged;

export function createArrange(): Arrange {
  let fittingOf: readonly unknown[] = [];
  let fitting: readonly StoredRecord[] = [];
  return (collection, all, { q, sort, page: asked }) => {
    const basis = [all, q, sort];
    if (basis.some((value, index) => value !== fittingOf[index])) {
      const search = q.toLowerCase();
      const found = search === '' ? all : all.filter((record) => textOf(record).includes(search));
      fitting = sorted(collection, found, sort);
      fittingOf = basis;
    }
    const pages = Math.max(1, Math.ceil(fitting.length / pageSize));
    const page = Math.min(pages, Math.max(1, asked || 1));
    return { fitting, shown: fitting.slice((page - 1) * pageSize, page * pageSize), page, pages };
  };
}

function sorted(collection: Collection, found: readonly StoredRecord[], sort: string): readonly StoredRecord[] {
  const key = sort.replace(/^-/, '');
  const column = collection.columns.find((one) => one.key === key);
  if (!column) return found;
  const direction = sort.startsWith('-') ? -1 : 1;
  // Timestamps as they are stored tell more than as they are shown, and are compared faster.
  const isTime = key === 'updatedAt';
  const keyed = found.map((record) => ({ record, text: isTime ? String(record[key]) : column.text(record) }));
  const compare = isTime
    ? (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
    : (a: string, b: string) => collator.compare(a, b);
  // What has no value stands last, whichever way it is sorted.
  return keyed
    .toSorted((a, b) => Number(a.text === '') - Number(b.text === '') || direction * compare(a.text, b.text))
    .map(({ record }) => record);
}
