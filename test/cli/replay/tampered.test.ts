/** Mistakes in a recording are reported with their path, the expected and the actual value. */
import { beforeAll, expect, test } from 'vitest';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { type Tampered, tamper, tellStory } from './story.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const { read } = createRecordingReader();
let text = '';

beforeAll(async () => {
  text = await tellStory(sandbox, 'p-1');
});

async function mistakesOf(value: unknown): Promise<readonly string[]> {
  const result = await read(value, 'r.json');
  return 'mistakes' in result ? result.mistakes : [];
}

const of = ({ changes }: Tampered, kind: string): Tampered =>
  changes.find((change: Tampered) => change['kind'] === kind);

test.each<readonly [string, (recording: Tampered) => unknown, string]>([
  ['no version', (r) => delete r['recording'], 'not a recording of a sandbox: expected "recording": 1, got none'],
  ['an unknown key', (r) => (r['sed'] = 'x'), '/sed: unknown field "sed", did you mean seed?'],
  [
    'an incomplete recording',
    (r) => (r['complete'] = false),
    '/complete: expected true, got false; an incomplete recording cannot be replayed, because the journal had already deleted some changes',
  ],
  [
    'an unknown scenario of a request',
    (r) => (of(r, 'request')['scenario'] = 99),
    '/changes/0/scenario: expected an index of /scenarios, at most 2, got 99',
  ],
  [
    'an unknown scenario of all projects',
    (r) => Object.assign(r, { serverScenarios: [7] }),
    '/serverScenarios/0: expected an index of /scenarios, at most 2, got 7',
  ],
  [
    'an invalid profile',
    (r) => (r['profile'] = { duplicates: 'rejct' }),
    '/profile:1:15  expected one of reject or replace, or a mapping with any of jobs, orders, routes, users and routeJobs, got "rejct", did you mean reject?\n    {"duplicates":"rejct"}\n                  ^',
  ],
  [
    'an invalid scenario',
    (r) => (r['scenarios'][0] = '{"name":"x","rules":[{"then":{"refuze":"no"}}]}'),
    '/scenarios/0:1:31: unknown key "refuze", did you mean refuse?',
  ],
  [
    'an unknown kind of read error',
    (r) => (of(r, 'request')['request'].unread = { kind: 'odd', message: 'm' }),
    '/changes/0/request/unread/kind: expected one of invalid, malformed, missingKey, unknownKey, foreignKey, foreignOrigin, notFound, unknownPath, unknownMethod, timeout, duplicate, conflict, tooLarge, unsupportedType, unmetExpectation, misdirected, downstream, limited, headTooLarge, internal, unconfirmed, unavailable, full, got odd',
  ],
  [
    'a snapshot of the wrong shape',
    (r) => (of(r, 'snapshot')['snapshot'] = { version: 1, jobs: [{}] }),
    '/changes/6/snapshot/orders: required, but missing',
  ],
])('reports %s', async (_, change, message) => {
  expect((await mistakesOf(tamper(text, change)))[0]).toBe(`r.json: ${message}`);
});

test.each([
  [null, 'none'],
  [[], 'none'],
  ['recording', 'none'],
  [{ recording: { version: 1 } }, '{"version":1}'],
])('other JSON: %j', async (value, got) => {
  expect(await mistakesOf(value)).toEqual([
    `r.json: not a recording of a sandbox: expected "recording": 1, got ${got}`,
  ]);
});

test('reports JSON that is nested too deeply', async () => {
  const value = JSON.parse(text);
  value.profile = JSON.parse(`${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`);
  expect(await mistakesOf(value)).toEqual(['r.json: expected at most 2,000 levels of objects and lists']);
});
