/** Lists of requests let others run between requests whose bodies they search. */
import { expect, test } from 'vitest';
import { admin } from '../../../src/control-api/caller.ts';
import type { ControlParts, ControlRequest } from '../../../src/control-api/handler.ts';
import { toRequestFilter } from '../../../src/control-api/requests/filter.ts';
import { scanRequests } from '../../../src/control-api/requests/scan.ts';
import type { JournalEntry } from '../../../src/journal/entry.ts';

/** Returns how often a list of 100 requests reads the clock. */
async function countReads(query: Record<string, string>): Promise<number> {
  let reads = 0;
  const elapsed = () => {
    reads += 1;
    return 0;
  };
  const requestFacts = { named: () => ({ first: [], count: 0, entries: 0 }), scenarios: () => [] };
  const parts = { wall: { elapsed }, requestFacts, contract: { match: () => ({ found: false }) } };
  const entry = { id: 'req_1', url: '/', method: 'POST', at: '2026-03-02T09:30:00.000Z', number: 1 };
  const entries: JournalEntry[] = Array.from({ length: 100 }, () => entry as JournalEntry);
  const request = { query, caller: admin } as unknown as ControlRequest;
  const filter = toRequestFilter(parts as unknown as ControlParts, request, 0);
  if ('problem' in filter) throw new Error(filter.problem.message);
  await scanRequests(parts as unknown as ControlParts, entries, filter(), false);
  return reads;
}

test.each([
  [{ contains: 'x' }, 101],
  [{ record: 'jobs/x' }, 101],
  [{ entity: 'x' }, 101],
  [{ method: 'POST' }, 2],
])('the filter %j reads the clock %i times', async (query, reads) => {
  expect(await countReads(query)).toBe(reads);
});
