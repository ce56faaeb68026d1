/** The log continues with an entry that cannot be formatted; golden/run.txt has the others. */
import { expect, test } from 'vitest';
import { logRequests, toBugLines } from '../../../src/cli/output/log.ts';
import type { NewEntry } from '../../../src/journal/entry.ts';
import { Journal } from '../../../src/journal/journal.ts';
import { noNotes } from '../../../src/scenarios/explain.ts';

const entry: NewEntry = {
  ...{ id: 'req_1', at: '2026-03-02T09:00:00.000Z', project: 'p', operation: 'asyncImportJobs', method: 'POST' },
  ...{ url: '/async/projects/p/jobs', requestHeaders: {}, requestBody: undefined, status: 202, fault: undefined },
  ...{ durationMs: 1, rejectedCount: 0, warnings: [], responseHeaders: {}, responseBody: '{}' },
  applied: [],
  ...{ evidence: { change: 1, atMs: 0 }, ...noNotes },
};

/** Returns the log of these entries, one text per entry. */
async function logOf(entries: readonly NewEntry[], form: 'pretty' | 'json') {
  const journal = new Journal();
  const written: string[] = [];
  const flush = logRequests({ journal }, form, (text) => written.push(text));
  for (const one of entries) {
    journal.add({ ...one });
    flush();
  }
  return written;
}

test.each(['pretty', 'json'] as const)('%s: an entry that cannot be formatted is written raw', async (form) => {
  const broken = { ...entry, at: 5 as never, durationMs: 1n as never };
  const [raw, next] = await logOf([broken, { ...entry, status: 200 }], form);
  expect(raw).toBe('{"event":"request","id":"req_1","method":"POST","url":"/async/projects/p/jobs","status":202}\n');
  expect(next).toContain('200');
});

test.each([
  ['not an Error', { toString: 1 }],
  ['an Error whose stack is not a text', Object.assign(new Error('x'), { stack: { toString: null } })],
  ['undefined', undefined],
])('a bug is logged if the thrown value is %s', (_, thrown) => {
  expect(toBugLines('req_1', thrown)).toMatch(/^bug req_1: .+\n$/);
});
