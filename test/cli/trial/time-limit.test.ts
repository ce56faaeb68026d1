/** The time limit of a command: hung, still sending, and what the sandbox imposes. */
import { expect, test } from 'vitest';
import { imposedMs, judgeTime } from '../../../src/cli/trial/time-limit.ts';
import type { JournalEntry } from '../../../src/journal/entry.ts';

test.each([
  ['within its limit', { overMs: -1, quietMs: 60_000 }, undefined],
  ['beyond it, with a request in the last five seconds', { overMs: 0, quietMs: 4999 }, undefined],
  ['beyond it, and silent', { overMs: 0, quietMs: 5000 }, 'hung'],
  ['a minute beyond it, and still sending', { overMs: 60_000, quietMs: 10 }, 'retrying'],
])('%s', (_, times, end) => {
  expect(judgeTime(times)).toBe(end);
});

test.each<[what: string, entry: Partial<JournalEntry>, ms: number]>([
  ['a delay', { durationMs: 1000 }, 1000],
  ['retry-after', { responseHeaders: { 'retry-after': '2' } }, 2000],
  ['a body of ten bytes, one at a time', { fault: 'drip', responseBody: '0123456789' }, 500],
  ['at most a minute', { responseHeaders: { 'retry-after': '3600' } }, 60_000],
  ['nothing for a date', { responseHeaders: { 'retry-after': 'Mon, 02 Mar 2026 09:00:00 GMT' } }, 0],
])('a client waits because of %s', (_, entry, ms) => {
  const response = { durationMs: 0, responseHeaders: {}, responseBody: undefined, fault: undefined, ...entry };
  expect(imposedMs(response as JournalEntry)).toBe(ms);
});
