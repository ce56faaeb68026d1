/** Journals of older versions lack the ids that requests name, which lists then derive. */
import { expect, test } from 'vitest';
import { countEntries, outcomesOf, toOutcomeSet } from '../../../src/control-api/requests/outcome.ts';
import type { JournalEntry } from '../../../src/journal/entry.ts';

test('the accepted entries of a request are counted without `named`', () => {
  const facts = { named: () => ({ first: ['A', 'B', 'C'], count: 3, entries: 3 }) };
  const entry = { status: 202, rejectedCount: 1, warnings: [] } as unknown as JournalEntry;
  expect(countEntries(entry, undefined, facts)).toEqual({ accepted: 2, refused: 1, failed: 0, pending: 0 });
  expect(outcomesOf(entry, undefined, facts)).toBe(toOutcomeSet(['accepted', 'rejected']));
  expect(countEntries({ ...entry, status: 400 }, undefined, facts)).toMatchObject({ accepted: 0 });
});
