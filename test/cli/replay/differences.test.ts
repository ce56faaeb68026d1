/** Each change in a recording is found as a difference, with its request. */
import { beforeAll, expect, test } from 'vitest';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
import { type ReplayResult, replayRecording } from '../../../src/cli/replay/replay.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { type Tampered, tamper, tellStory } from './story.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const { read } = createRecordingReader();
let text = '';

beforeAll(async () => {
  text = await tellStory(sandbox, freshProject());
});

async function replayTampered(change: (recording: Tampered) => unknown): Promise<ReplayResult> {
  const recording = await read(tamper(text, change), 'r.json');
  if ('mistakes' in recording) throw new Error(recording.mistakes.join('\n'));
  return replayRecording(recording);
}

const callbackOf = ({ changes }: Tampered): Tampered => changes.find(({ kind }: Tampered) => kind === 'callback');

/** Removes the callback. */
function dropCallback(recording: Tampered): void {
  recording['changes'] = recording['changes'].filter(({ kind }: Tampered) => kind !== 'callback');
}

test('an unchanged recording has no difference, and its requests and callbacks are counted', async () => {
  expect(await replayTampered(() => undefined)).toEqual({ requests: 4, callbacks: 1, differences: [] });
});

const own = expect.stringMatching(/^msg_(?!0{16}).{16} \{"type"/);
const other = expect.stringMatching(/^msg_0{16} \{"type"/);
const batch = { request: { request: { url: expect.stringContaining('/async/') } } };
const user = { request: { request: { url: expect.stringContaining('/users') } } };

test.each<readonly [string, (recording: Tampered) => unknown, readonly object[]]>([
  [
    'a broken connection instead of a whole one',
    ({ changes }) => (changes[3].response.fault = 'reset'),
    [{ part: 'connection', recorded: 'reset', replayed: 'none', ...user }],
  ],
  ['a missing callback', dropCallback, [{ part: 'callback', recorded: 'none', replayed: own, ...batch }]],
  [
    'a callback with another id',
    (r) => (callbackOf(r)['id'] = 'msg_0000000000000000'),
    [
      { part: 'callback', recorded: other, replayed: 'none', ...batch },
      { part: 'callback', recorded: 'none', replayed: own, ...batch },
    ],
  ],
  [
    'a callback of an unrecorded request',
    (r) => Object.assign(callbackOf(r), { id: 'msg_0000000000000000', requestId: 'req_nowhere' }),
    [{ part: 'callback', request: undefined }, { part: 'callback' }],
  ],
  [
    'another status in the profile',
    (r) => (r['profile'].errors.invalid = 422),
    [{ part: 'status', recorded: '400', replayed: '422', ...user }],
  ],
  [
    'a URL of another project',
    ({ changes }) => (changes[0].request.url = '/sync/projects/other/jobs'),
    [{ part: 'status', recorded: '201', replayed: '400' }],
  ],
])('finds %s', async (_, change, wanted) => {
  const { differences } = await replayTampered(change);
  expect(differences.slice(0, wanted.length)).toMatchObject(wanted);
});

test('a callback that one side lacks does not make the later ones differ', async () => {
  const project = freshProject();
  for (const id of ['FAIL-1', 'FAIL-2', 'FAIL-3']) {
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id }] });
    await sandbox.advance(project, '1s');
  }
  const { body } = await sandbox.control('GET', `/projects/${project}/recording`);
  body.changes.splice(body.changes.indexOf(callbackOf(body)), 1);
  const loaded = await read(body, 'r.json');
  if ('mistakes' in loaded) throw new Error(loaded.mistakes.join('\n'));
  expect((await replayRecording(loaded)).differences).toMatchObject([{ part: 'callback', recorded: 'none' }]);
});

test.each<readonly [string, (recording: Tampered) => unknown]>([
  ['the state of a callback', (r) => (callbackOf(r)['state'] = 'delivered')],
  ['the bytes of an attempt', (r) => (callbackOf(r)['attempts'][0].sent = 'other')],
  ['the callback endpoint', (r) => (r['callbackEndpoint'] = 'http://127.0.0.1:9/')],
])('not compared: %s', async (_, change) => {
  expect((await replayTampered(change)).differences).toEqual([]);
});
