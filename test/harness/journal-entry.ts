/** A journal entry with few fields. */

import type { NewEntry } from '../../src/journal/entry.ts';
import { noNotes } from '../../src/scenarios/explain.ts';

export function toEntry(project: string | undefined, id: string, bytes = 0): NewEntry {
  return {
    id,
    at: '2026-03-02T09:30:00.000Z',
    project,
    operation: 'syncCreateJob',
    method: 'POST',
    url: '/',
    requestHeaders: {},
    requestBody: { size: bytes, read: () => ({ shown: 'x'.repeat(bytes) }) },
    status: 201,
    fault: undefined,
    durationMs: 1,
    rejectedCount: 0,
    warnings: [],
    applied: [],
    responseHeaders: {},
    responseBody: undefined,
    evidence: { change: 1, atMs: 0 },
    ...noNotes,
  };
}
