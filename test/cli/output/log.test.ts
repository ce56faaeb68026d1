/** The request log continues with any content of requests and responses, and without its format. */

import { describe, expect, test } from 'vitest';
import { logRequests, toBugLines } from '../../../src/cli/output/log.ts';
import { parseOptions } from '../../../src/config/options.ts';
import type { NewEntry } from '../../../src/journal/entry.ts';
import { Journal } from '../../../src/journal/journal.ts';
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
    flush();
    await sandbox.close();
    const lines = text.split('\n').map((one) => one.replace(/(req|msg)_[0-9a-f]{16}/, '$1_ID'));
    expect(lines).toEqual([
      '09:00:00.000 acme  asyncImportJobs   202  2 entries                        req_ID',
      '    rule magic-ids/failing: matched 2 entries: fail',
      '09:00:00.200 acme    jobs.import.failed  attempt 1  receiver 503, retry in 5s  msg_ID',
      '09:00:05.200 acme    jobs.import.failed  attempt 2  receiver: connection closed without a response, retry in 30s',
      '09:00:35.200 acme    jobs.import.failed  attempt 3  receiver 204',
      '09:00:35.200 acme  asyncImportJobs   202  1 entry                          req_ID',
      '    rule magic-ids/failing: matched 1 entry: fail',
      '09:00:35.400 acme    jobs.import.failed  attempt 1  in the inbox  msg_ID',
      '09:00:00.000 -  POST /nowhere     404  rejected                         req_ID',
      expect.stringMatching(/^ {4}no operation has the path "\/nowhere"/),
      '',
    ]);
  });
});
