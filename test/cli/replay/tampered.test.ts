/** Mistakes in a recording are reported with their path, the expected and the actual value. */
import { beforeAll, expect, test } from 'vitest';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { type Tampered, tamper, tellStory } from './story.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const project = 'p-1';
const { read } = createRecordingReader();
let text = '';

beforeAll(async () => {
  text = await tellStory(sandbox, project);
});

async function mistakesOf(value: unknown): Promise<readonly string[]> {
  const result = await read(value, 'r.json');
  return 'mistakes' in result ? result.mistakes : [];
}

const changes: readonly (readonly [string, (recording: Tampered) => void, string])[] = [
  ['no version', (r) => delete r['recording'], 'not a recording of a sandbox: expected "recording": 1, got none'],
  ['a missing key', (r) => delete r['seed'], '/seed: required, but missing'],
  ['an unknown key', (r) => (r['sed'] = 'x'), '/sed: unknown field "sed", did you mean seed?'],
  ['a value of the wrong type', (r) => (r['strict'] = 'no'), '/strict: expected a boolean, got "no"'],
  [
    'an invalid timestamp',
    (r) => (r['begunAt'] = 'yesterday'),
    '/begunAt: expected an ISO 8601 timestamp with offset, such as 2026-03-02T09:30:00+10:00, got "yesterday"',
  ],
  [
    'an incomplete recording',
    (r) => (r['complete'] = false),
    '/complete: expected true, got false; an incomplete recording cannot be replayed, because the journal had already deleted some changes',
  ],
  [
    'an unknown kind',
    ({ changes: [one] }) => (one['kind'] = 'requests'),
    '/changes/0/kind: expected one of request, callback, scenarios, server-scenarios, clock, advance, callback-endpoint, redelivery, trigger, snapshot, got "requests", did you mean request?',
  ],
  [
    'a request without a response',
    ({ changes: [one] }) => delete one['response'],
    '/changes/0/response: required, but missing',
  ],
  ['a missing number', ({ changes }) => changes.splice(1, 1), '/changes/1/n: expected 2, got 3'],
  [
    'a time before the previous change',
    ({ changes: [, one] }) => (one['at'] = '2026-03-02T09:29:59.999Z'),
    '/changes/1/at: expected a time at or after 2026-03-02T09:30:00.000Z, got 2026-03-02T09:29:59.999Z',
  ],
  [
    'an unknown scenario',
    (r) => (of(r, 'request')['scenario'] = 99),
    '/changes/0/scenario: expected an index of /scenarios, at most 2, got 99',
  ],
  [
    'an invalid profile',
    (r) => (r['profile'] = { duplicates: 'rejct', limits: { depth: 'deep' } }),
    '/profile:1:15  expected one of reject or replace, or a mapping with any of jobs, orders, routes, users and routeJobs, got "rejct", did you mean reject?\n    {"duplicates":"rejct","limits":{"depth":"deep"}}\n                  ^',
  ],
  [
    'a profile that moved the path',
    (r) => (r['profile'] = { basePath: '/v2' }),
    '/changes/0/request: expected the method and URL of an operation of the profile, got POST /sync/projects/p-1/jobs',
  ],
  [
    'a URL of another project',
    (r) => (of(r, 'request').request['url'] = '/sync/projects/other/jobs'),
    '/changes/0/request/url: expected a URL of project p-1, got /sync/projects/other/jobs',
  ],
  [
    'an invalid scenario',
    (r) => (r['scenarios'][0] = '{"name":"x","rules":[{"then":{"refuze":"no"}}]}'),
    '/scenarios/0:1:31: unknown key "refuze", did you mean refuse?',
  ],
  [
    'an unknown kind of read error',
    (r) => (of(r, 'request').request['unread'] = { kind: 'odd', message: 'm' }),
    '/changes/0/request/unread/kind: expected one of invalid, malformed, missingKey, unknownKey, foreignKey, foreignOrigin, notFound, unknownPath, unknownMethod, timeout, duplicate, conflict, tooLarge, unsupportedType, unmetExpectation, misdirected, downstream, limited, headTooLarge, internal, unconfirmed, unavailable, full, got odd',
  ],
  [
    'a snapshot of the wrong shape',
    (r) => (of(r, 'snapshot')['snapshot'] = { version: 1, jobs: [{}] }),
    '/changes/6/snapshot/orders: required, but missing',
  ],
];

function of({ changes }: Tampered, kind: string): Tampered['changes'][number] {
  return changes.find((change: Tampered) => change['kind'] === kind) as Tampered['changes'][number];
}

test.each(changes)('reports %s', async (_name: string, change: (recording: Tampered) => void, message: string) => {
  const mistakes = await mistakesOf(tamper(text, change));
  expect(mistakes[0]).toBe(`r.json: ${message}`);
});

test.each([
  [null, 'not a recording of a sandbox: expected "recording": 1, got none'],
  [[], 'not a recording of a sandbox: expected "recording": 1, got none'],
  ['recording', 'not a recording of a sandbox: expected "recording": 1, got none'],
  [{ recording: { version: 1 } }, 'not a recording of a sandbox: expected "recording": 1, got {"version":1}'],
  [{ items: [] }, 'not a recording of a sandbox: expected "recording": 1, got none'],
])('other JSON: %j', async (value, message) => {
  expect(await mistakesOf(value)).toEqual([`r.json: ${message}`]);
});

test('reports JSON that is nested too deeply', async () => {
  const value = JSON.parse(text);
  value.profile = JSON.parse(`${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`);
  expect(await mistakesOf(value)).toEqual(['r.json: expected at most 2,000 levels of objects and lists']);
});
