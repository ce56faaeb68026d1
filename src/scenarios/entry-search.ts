/** Finds the expectations that an entry of a request matches. Runs in slices, before the request takes effect. */
import type { Entry } from '../operations/command.ts';
import type { EntryExpectation } from './compiled.ts';
import { matchesItem, type TestField } from './item.ts';
import { costOf } from './matcher.ts';

export interface EntrySearch {
  /** Runs about `max` tests, or the remaining ones. Returns the number of tests. */
  run(max: number): number;
  isDone(): boolean;
  /** Keys of the expectations that an entry matches; complete once the search is done. */
  readonly found: ReadonlySet<string>;
}

export function createEntrySearch(expectations: readonly EntryExpectation[], entries: readonly Entry[]): EntrySearch {
  const found = new Set<string>();
  let position = 0;
  let next = 0;
  let tests = 0;

  const testField: TestField = (field, value) => {
    tests += costOf(field, value);
    return field.test(value);
  };

  function testNext({ key, item }: EntryExpectation): void {
    tests += item.by === 'id' ? item.globs.length : 1;
    const entry = entries[next];
    next += 1;
    const isFound = entry !== undefined && matchesItem(item, entry, testField);
    if (isFound) found.add(key);
    if (!isFound && next < entries.length) return;
    position += 1;
    next = 0;
  }

  return {
    found,
    isDone: () => position >= expectations.length,
    run: (max) => {
      tests = 0;
      for (let one = expectations[position]; one && tests < max; one = expectations[position]) testNext(one);
      return tests;
    },
  };
}
