/** The counts of the selected requests. Each request changes them, so they are loaded at most every two seconds. */
import { createReloader } from '../reloader.ts';
import type { RequestCounts } from '../request-row.ts';
import { route } from '../route.ts';
import { selectionOf } from './filter.ts';
import { loadPage, withCounts } from './load-page.ts';

const countsMs = 2000;

export interface Counts {
  readonly value: RequestCounts | undefined;
  /** Sets the counts that a page has. Without them, they are loaded soon. */
  set(counts: RequestCounts | undefined): void;
  clear(): void;
  /** Adds requests that have just arrived, until the counts are loaded. */
  add(count: number): void;
  end(): void;
}

export function createCounts(changed: () => void): Counts {
  let value: RequestCounts | undefined;
  const reloader = createReloader(async () => {
    const selection = selectionOf(route.get().query);
    const page = await loadPage(1, withCounts).catch(() => undefined);
    if (page?.counts && selection === selectionOf(route.get().query)) value = page.counts;
    changed();
  }, countsMs);

  return {
    get value() {
      return value;
    },
    set: (counts) => {
      if (counts) value = counts;
      else reloader.soon();
    },
    clear: () => {
      value = undefined;
    },
    add: (count) => {
      if (value) value = { ...value, total: value.total + count };
      reloader.soon();
    },
    end: reloader.end,
  };
}
