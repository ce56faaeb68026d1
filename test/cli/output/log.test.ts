/** The request log continues with any content of requests and responses, and without its format. */
import { describe, expect, test } from 'vitest';
import { type Format, logRequests, toBugLines } from '../../../src/cli/output/log.ts';
import type { NewEntry } from '../../../src/journal/entry.ts';
import { createJournal } from '../../../src/journal/journal.ts';

const entry: NewEntry = {
  ...{ id: 'req_1', at: '2026-03-02T09:00:00.000Z', project: 'p', operation: 'asyncImportJobs', method: 'POST' },
  ...{ url: '/async/projects/p/jobs', requestHeaders: {}, requestBody: undefined, status: 202, fault: undefined },
  ...{ durationMs: 1, rejectedCount: 0, warnings: [], responseHeaders: {}, responseBody: '{}' },
  ...{ evidence: { change: 1, atMs: 0 }, explain: () => [] },
  ...{ ruleCount: 0, notesSize: 0, visitRules: () => undefined },
};

/** Returns the log of these entries, one text per entry. */
async function logOf(entries: readonly NewEntry[], form: 'pretty' | 'json', createFormat?: () => Promise<Format>) {
  const journal = createJournal();
  const written: string[] = [];
  const flush = logRequests(journal, form, (text) => written.push(text), createFormat);
  for (const one of entries) {
    journal.add({ ...one });
    await flush();
  }
  return written;
}

describe('any response of a scenario is logged', () => {
  test.each<[string, string]>([
    ['{"failed":[null]}', 'POST asyncImportJobs 202 1 ms · 1 failed\n    (no id) failed: (no reason)\n'],
    ['{"failed":[7,"x",[]]}', ' · 3 failed\n'],
    ['{"failed":[{"id":{"toString":1},"reason":"lost"}]}', '    (no id) failed: lost\n'],
    ['{"failed":[{"id":"A","reason":{"valueOf":1}}]}', '    A failed: (no reason)\n'],
    ['{"failed":{"length":1e9}}', 'POST asyncImportJobs 202 1 ms\n'],
    ['{"jobsReceived":{"toString":1}}', 'POST asyncImportJobs 202 1 ms\n'],
    ['{"message":{"toString":1}}', 'POST asyncImportJobs 202 1 ms\n'],
    ['{"__proto__":null}', 'POST asyncImportJobs 202 1 ms\n'],
    ['{', 'POST asyncImportJobs 202 1 ms\n'],
  ])('%s', async (responseBody, line) => {
    expect(await logOf([{ ...entry, responseBody }], 'pretty')).toEqual([expect.stringContaining(line)]);
  });
});

test('an error whose body a profile changed is logged with its message', async () => {
  const rejected = { ...entry, status: 400, responseBody: '{"text":"x"}', problem: { message: 'id: missing' } };
  expect(await logOf([rejected], 'pretty')).toEqual(['POST asyncImportJobs 400 1 ms\n    id: missing\n']);
});

test.each([
  ['pretty', 'POST /async/projects/p/jobs 202\n'],
  ['json', '{"event":"request","id":"req_1","method":"POST","url":"/async/projects/p/jobs","status":202}\n'],
] as const)(
  '%s: an entry that cannot be formatted is written raw, and the next one is formatted',
  async (form, raw) => {
    const fails: Format = ({ status }) => {
      if (status === 202) throw new TypeError('no text');
      return 'formatted\n';
    };
    const written = await logOf([entry, { ...entry, status: 200 }], form, () => Promise.resolve(fails));
    expect(written).toEqual([raw, 'formatted\n']);
  },
);

test('lines are written raw until the format can be loaded', async () => {
  let loads = 0;
  const load = async (): Promise<Format> => {
    loads += 1;
    if (loads === 1) throw new Error('EMFILE');
    return () => 'formatted\n';
  };
  expect(await logOf([entry, entry, entry], 'pretty', load)).toEqual([
    'POST /async/projects/p/jobs 202\n',
    'formatted\n',
    'formatted\n',
  ]);
  expect(loads).toBe(2);
});

test.each([
  ['not an Error', { toString: 1 }],
  ['an Error whose stack is not a text', Object.assign(new Error('x'), { stack: { toString: null } })],
  ['undefined', undefined],
])('a bug is logged if the thrown value is %s', (_, thrown) => {
  expect(toBugLines('req_1', thrown)).toMatch(/^bug req_1: .+\n$/);
});
