/** The request log continues with any content of requests and responses, and without its format. */

import { describe, expect, test } from 'vitest';
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

const line = (status: number, summary: string): string =>
  `09:00:00.000 p  asyncImportJobs   ${status}  ${summary.padEnd(31)}  req_1\n`;

describe('any response of a scenario is logged', () => {
  test.each<[string, string]>([
    ['{"message":"lost"}', `${line(500, 'failed')}    lost\n`],
    ['{"message":{"toString":1}}', line(500, 'failed')],
    ['{"message":"a\\u001b[31mb"}', `${line(500, 'failed')}    a [31mb\n`],
    ['{"__proto__":null}', line(500, 'failed')],
    ['{', line(500, 'failed')],
    ['', line(500, 'failed')],
  ])('%s', async (responseBody, expected) => {
    expect(await logOf([{ ...entry, status: 500, responseBody }], 'pretty')).toEqual([expected]);
  });
});

test('an error whose body a profile changed is logged with its message', async () => {
  const rejected = { ...entry, status: 400, responseBody: '{"text":"x"}', problem: { message: 'id: missing' } };
  expect(await logOf([rejected], 'pretty')).toEqual([`${line(400, 'rejected')}    id: missing\n`]);
});

test.each(['pretty', 'json'] as const)('%s: an entry that cannot be formatted is written raw', async (form) => {
  const broken = { ...entry, at: 5 as never, durationMs: 1n as never };
  const [raw, next] = await logOf([broken, { ...entry, status: 200 }], form);
  expect(raw).toBe('{"event":"request","id":"req_1","method":"POST","url":"/async/projects/p/jobs","status":202}\n');
  expect(next).toContain('200');
});

test('JSON lines have a level, a time and the request', async () => {
  const [text = ''] = await logOf([entry], 'json');
  expect(JSON.parse(text)).toEqual({
    ...{ level: 30, time: expect.any(Number), id: 'req_1', project: 'p', operation: 'asyncImportJobs', method: 'POST' },
    ...{ url: '/async/projects/p/jobs', status: 202, durationMs: 1, warnings: 0, event: 'request' },
  });
});

test.each([
  ['not an Error', { toString: 1 }],
  ['an Error whose stack is not a text', Object.assign(new Error('x'), { stack: { toString: null } })],
  ['undefined', undefined],
])('a bug is logged if the thrown value is %s', (_, thrown) => {
  expect(toBugLines('req_1', thrown)).toMatch(/^bug req_1: .+\n$/);
});
