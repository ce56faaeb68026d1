/** The request log continues with any content of requests and responses, and without its format. */

import { describe, expect, test } from 'vitest';
import { type Format, logRequests, toBugLines } from '../../../src/cli/output/log.ts';
import { parseOptions } from '../../../src/config/options.ts';
import type { NewEntry } from '../../../src/journal/entry.ts';
import { createJournal } from '../../../src/journal/journal.ts';
import { noNotes } from '../../../src/scenarios/explain.ts';
import { startSandbox } from '../../../src/server.ts';
import { useReceiver } from '../../harness/receiver.ts';

const entry: NewEntry = {
  ...{ id: 'req_1', at: '2026-03-02T09:00:00.000Z', project: 'p', operation: 'asyncImportJobs', method: 'POST' },
  ...{ url: '/async/projects/p/jobs', requestHeaders: {}, requestBody: undefined, status: 202, fault: undefined },
  ...{ durationMs: 1, rejectedCount: 0, warnings: [], responseHeaders: {}, responseBody: '{}' },
  applied: [],
  ...{ evidence: { change: 1, atMs: 0 }, ...noNotes },
};

/** Returns the log of these entries, one text per entry. */
async function logOf(entries: readonly NewEntry[], form: 'pretty' | 'json', createFormat?: () => Promise<Format>) {
  const journal = createJournal();
  const written: string[] = [];
  const flush = logRequests({ journal }, form, (text) => written.push(text), createFormat);
  for (const one of entries) {
    journal.add({ ...one });
    await flush();
  }
  return written;
}

describe('any response of a scenario is logged', () => {
  test.each<[string, string]>([
    [
      '{"failed":[null]}',
      '2026-03-02T09:00:00.000Z p POST asyncImportJobs 202 1 ms · 1 failed\n    (no id) failed: (no reason)\n',
    ],
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
  expect(await logOf([rejected], 'pretty')).toEqual([
    '2026-03-02T09:00:00.000Z p POST asyncImportJobs 400 1 ms\n    id: missing\n',
  ]);
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

describe('the pretty log of a sandbox', () => {
  const receiver = useReceiver();

  test('has the time and the project of each request, and a line for each attempt of a callback', async () => {
    const parsed = parseOptions({ port: '0', log: 'off', clock: '2026-03-02T09:00:00.000Z' }, {});
    if (!parsed.ok) throw new Error(parsed.mistakes.join('\n'));
    const sandbox = await startSandbox(parsed.options, { reportError: () => undefined, warn: () => undefined });
    let text = '';
    const flush = logRequests(sandbox, 'pretty', (written) => {
      text += written;
    });
    const send = (method: string, path: string, body: unknown) =>
      fetch(sandbox.url + path, {
        method,
        headers: { apikey: 'sandbox-key', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const control = '/_sandbox/projects/acme';
    const advance = () => send('POST', `${control}/clock/advance`, { until: 'idle' });
    receiver.answer(503, 'close');
    await send('PUT', `${control}/callback-endpoint`, { url: receiver.url() });
    await send('POST', '/async/projects/acme/jobs', { jobs: [{ id: 'FAIL-1' }, { id: 'FAIL-2' }] });
    await advance();
    await send('DELETE', `${control}/callback-endpoint`, undefined);
    await send('POST', '/async/projects/acme/jobs', { jobs: [{ id: 'FAIL-3' }] });
    await advance();
    await send('POST', '/nowhere', {});
    await flush();
    await sandbox.close();
    const lines = text.split('\n').map((line) => line.replace(/ \d+ ms/, ' N ms'));
    expect(lines.filter((line) => /^\d/.test(line))).toEqual([
      '2026-03-02T09:00:00.000Z acme POST asyncImportJobs 202 N ms · 2 jobs',
      '2026-03-02T09:00:00.200Z acme callback jobs.import.failed 503 · 2 entries · attempt 1',
      '2026-03-02T09:00:05.200Z acme callback jobs.import.failed connection closed without a response · 2 entries · attempt 2',
      '2026-03-02T09:00:35.200Z acme callback jobs.import.failed 204 · 2 entries · attempt 3',
      '2026-03-02T09:00:35.200Z acme POST asyncImportJobs 202 N ms · 1 job',
      '2026-03-02T09:00:35.400Z acme callback jobs.import.failed in the inbox · 1 entry · attempt 1',
      '2026-03-02T09:00:00.000Z - POST /nowhere 404 N ms',
    ]);
  });
});
