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

/** Returns the changes of the story by name. */
function partsOf({ changes }: Tampered) {
  const [job, , batch, user, callback] = changes;
  return { job, batch, user, callback, broken: changes.at(-1) };
}

/** Renumbers the changes without gaps. */
function renumber(recording: Tampered): void {
  for (const [index, change] of recording['changes'].entries()) change.n = index + 1;
}

const second = (callback: Tampered): Tampered => ({ ...callback, id: 'msg_0000000000000000' });

test('an unchanged recording has no difference, and its requests and callbacks are counted', async () => {
  expect(await replayTampered(() => undefined)).toEqual({ requests: 4, callbacks: 1, differences: [] });
});

type Row = readonly [
  name: string,
  change: (recording: Tampered) => unknown,
  of: 'job' | 'batch' | 'user' | 'broken',
  wanted: { readonly part: string; readonly recorded: unknown; readonly replayed: unknown },
];

const rows: readonly Row[] = [
  [
    'a broken connection instead of a whole one',
    (r) => (partsOf(r).user.response.fault = 'reset'),
    'user',
    { part: 'connection', recorded: 'reset', replayed: 'none' },
  ],
  [
    'callback id',
    (r) => (partsOf(r).callback.id = 'msg_0000000000000000'),
    'batch',
    {
      part: 'callback',
      recorded: expect.stringMatching(/^msg_0{16} \{"type"/),
      replayed: expect.stringMatching(/^msg_(?!0{16}).{16} \{"type"/),
    },
  ],
  [
    'a missing callback',
    (r) => {
      r['changes'].splice(4, 1);
      renumber(r);
    },
    'batch',
    { part: 'callback', recorded: 'none', replayed: expect.stringMatching(/^msg_.{16} \{"type"/) },
  ],
  [
    'an additional callback',
    (r) => {
      r['changes'].splice(5, 0, second(partsOf(r).callback));
      renumber(r);
    },
    'batch',
    { part: 'callback', recorded: expect.stringMatching(/^msg_0{16} \{"type"/), replayed: 'none' },
  ],
  [
    'another status in the profile',
    (r) => (r['profile'].errors.invalid = 422),
    'user',
    { part: 'status', recorded: '400', replayed: '422' },
  ],
];

test.each(rows)('finds a difference: %s', async (_name, change, of, wanted) => {
  const [difference] = (await replayTampered(change)).differences;
  expect(difference).toMatchObject(wanted);
  expect(difference?.recorded).not.toBe(difference?.replayed);
  const { method, url } = partsOf(JSON.parse(text))[of].request;
  expect(difference?.request?.request).toMatchObject({ method, url });
});

test('a callback that one side lacks does not make the later ones differ', async () => {
  const project = freshProject();
  for (const id of ['FAIL-1', 'FAIL-2', 'FAIL-3']) {
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id }] });
    await sandbox.advance(project, '1s');
  }
  const { text: three } = await sandbox.control('GET', `/projects/${project}/recording`);
  const replayed = await createRecordingReader().read(
    tamper(three, (r) => {
      r['changes'].splice(
        r['changes'].findIndex(({ kind }: Tampered) => kind === 'callback'),
        1,
      );
      renumber(r);
    }),
    'r.json',
  );
  if ('mistakes' in replayed) throw new Error(replayed.mistakes.join('\n'));
  const { differences } = await replayRecording(replayed);
  expect(differences).toMatchObject([{ part: 'callback', recorded: 'none' }]);
});

test('a callback of an unrecorded request is reported without a request', async () => {
  const { differences } = await replayTampered((r) => {
    Object.assign(partsOf(r).callback, { id: 'msg_0000000000000000', requestId: 'req_nowhere' });
  });
  expect(differences).toMatchObject([{ part: 'callback', request: undefined }]);
});

test.each<readonly [string, (recording: Tampered) => unknown]>([
  ['the state of a callback', (r) => (partsOf(r).callback.state = 'delivered')],
  ['the bytes of an attempt', (r) => (partsOf(r).callback.attempts[0].sent = 'other')],
  ['the callback endpoint', (r) => (r['callbackEndpoint'] = 'http://127.0.0.1:9/')],
])('not compared: %s', async (_name, change) => {
  expect((await replayTampered(change)).differences).toEqual([]);
});
